/** Keys about how Endpoints are chosen and tried again, and how connections to them are kept. */
import { blankListOf, emptyAs, optional } from "../kinds/combine.ts";
import { timeSpan } from "../kinds/measures.ts";
import { line } from "../kinds/names.ts";
import { oneOf } from "../kinds/words.ts";
import { keyed, setting, toggle, without } from "./declare.ts";
import { count, countOrNone, secondsOrOff, takenAs, wholeSeconds } from "./kinds.ts";

/** The words that nginx accepts for proxy_next_upstream. */
export const nextUpstreamCases = blankListOf(
  oneOf([
    "error",
    "timeout",
    "invalid_header",
    "http_500",
    "http_502",
    "http_503",
    "http_504",
    "http_403",
    "http_404",
    "http_429",
    "updating",
    "non_idempotent",
    "off",
  ]),
);

const balancers = oneOf(["round_robin", "ewma", "chash", "chashsubset", "sticky_balanced", "sticky_persistent"]);
/** An unknown word means round robin, as in ingress-nginx (RS-9.8). */
const balancer = emptyAs(takenAs("round_robin", balancers, `; known are ${balancers.label.slice(7)}`), "round_robin");

const byAnnotation = "only the annotation of this name chooses Endpoints by hash";
const nothing = "Nothing: the annotation of this name has no default in the ConfigMap.";

export const upstreams = keyed({
  loadBalance: setting({
    kind: balancer,
    default: "round_robin",
    live: true,
    becomes: "the balancing policy of upstreams",
    doc: "How an Endpoint is chosen if the Ingress does not set it: round_robin in turn, ewma by response time.",
  }),
  serviceUpstream: toggle({
    live: true,
    becomes: "the Endpoints of upstreams",
    doc: "Sends requests to the cluster address of a Service instead of its Endpoints.",
  }),
  upstreamHashBy: without(optional(line), byAnnotation, nothing),
  upstreamHashBySubset: toggle({ noEffect: byAnnotation, doc: nothing }),
  upstreamHashBySubsetSize: without(countOrNone(), byAnnotation, nothing, 0),
  proxyNextUpstream: setting({
    kind: nextUpstreamCases,
    default: ["error", "timeout"],
    becomes: "proxy_next_upstream and grpc_next_upstream",
    doc: "Failures after which the next Endpoint is tried.",
  }),
  proxyNextUpstreamTimeout: setting({
    kind: secondsOrOff,
    default: 0,
    directive: { name: ["proxy_next_upstream_timeout", "grpc_next_upstream_timeout"], context: "http" },
    doc: "How long further Endpoints are tried; 0 is no limit.",
  }),
  proxyNextUpstreamTries: setting({
    kind: countOrNone(),
    default: 3,
    directive: { name: ["proxy_next_upstream_tries", "grpc_next_upstream_tries"], context: "http" },
    doc: "How many Endpoints are tried for one request; 0 is no limit.",
  }),
  retryNonIdempotent: toggle({
    becomes: "proxy_next_upstream … non_idempotent",
    doc: "Tries the next Endpoint for POST, LOCK and PATCH, too.",
  }),
  upstreamKeepaliveConnections: setting({
    kind: countOrNone({ max: 65_536 }),
    default: 320,
    becomes: "keepalive",
    doc: "Idle connections to Endpoints that one worker keeps; 0 closes each after its answer. In static mode this is the limit for each Service, and a lower one if all Services together would keep more than 64,000.",
  }),
  upstreamKeepaliveTimeout: setting({
    kind: wholeSeconds(),
    default: 60,
    onlyWith: ["upstream-keepalive-connections"],
    becomes: "keepalive_timeout of the upstream",
    doc: "How long an idle connection to an Endpoint is kept.",
  }),
  upstreamKeepaliveTime: setting({
    kind: timeSpan({ min: 1 }),
    default: "1h",
    onlyWith: ["upstream-keepalive-connections"],
    becomes: "keepalive_time of the upstream",
    doc: "How long a connection to an Endpoint is used at most.",
  }),
  upstreamKeepaliveRequests: setting({
    kind: count(),
    default: 10_000,
    onlyWith: ["upstream-keepalive-connections"],
    becomes: "keepalive_requests of the upstream",
    doc: "Requests after which a connection to an Endpoint is closed.",
  }),
});
