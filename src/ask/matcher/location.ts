/**
 * Decides a request whose Location is known, as nginx/lua/sluice/route.lua does: the answers of its
 * filters, its guards, and the backends that may get the request.
 */

import { defaultUpstream, type Location, type Upstream, type WeightedBackend } from "../../core/model/configuration.ts";
import type { AuthService, Filters } from "../../core/model/filters.ts";
import type { ListenerPort } from "../../core/model/listeners.ts";
import { fullSentence } from "../../core/model/problem.ts";
import { answersPreflight } from "../../core/policies/cors/words.ts";
import { ownTextOf } from "../../core/policies/hooks.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { BackendShare, Decision, End, Guard } from "./decision.ts";
import { type Asked, checksBeforeFilters, earlyChecks, lateChecks, stopIn } from "./guards.ts";
import type { Served } from "./host.ts";
import { groupsIn } from "./paths.ts";
import { expanded } from "./redirects.ts";
import { clientPath, escapedPath, oneSlash, spelledGroups } from "./spelling.ts";
import { redirectTarget, rewritten } from "./target.ts";

export interface AtLocation extends Asked {
  readonly served: Served;
  /** The port of the built-in server, which answers 404 if there is no other default backend. */
  readonly builtInPort: number;
  /** The port of the listener that has the Location; undefined for the ports of Ingresses. */
  readonly port: ListenerPort | undefined;
}

type Outcome = Pick<Decision, "guards" | "backends" | "end">;

export function atLocation(at: AtLocation): Outcome {
  const { served } = at;
  const { location } = at.found;
  const { filters = {}, unusableStatus = 500 } = location;
  const answer = answerOfFilters(at, filters);
  if (answer !== undefined) {
    const { guards, end = answer } = stopIn(checksBeforeFilters, at, location);
    return { guards, backends: [], end };
  }
  const backends = sharesOf(location, served);
  const [first] = backends;
  const whyUnusable = first === undefined ? "the rule has no backend with a weight" : unusableWords(first.backend);
  if (whyUnusable !== undefined && location.features.redirects.elsewhere === undefined)
    return { guards: [], backends, end: { kind: "answer", status: unusableStatus, why: whyUnusable } };
  const early = stopIn(earlyChecks, at, location);
  const { guards } = early;
  if (early.end !== undefined || first === undefined)
    return { guards, backends: [], end: early.end ?? { kind: "answer", status: 503, why: "the rule has no backend" } };
  const other = location.standIn === undefined ? undefined : served.upstreams.get(location.standIn);
  const standsIn = !isServed(first.upstream) && isServed(other);
  const target = standsIn ? other : first.upstream;
  if (target === undefined || !isServed(target)) return { guards, backends, end: unserved(first.backend) };
  const { auth } = filters;
  const late = stopIn(lateChecks, at, auth === undefined ? location : withoutOperators(location));
  const all = [...guards, ...late.guards, ...(auth === undefined ? [] : [asking(auth)])];
  if (late.end !== undefined) return { guards: all, backends: [], end: late.end };
  if (target.id === defaultUpstream && isBuiltIn(target, at.builtInPort))
    return { guards: all, backends: [], end: notFound(at) };
  const path = pathAfter(at, first.backend);
  const canaries = standsIn ? [] : location.canaries;
  const end: End = {
    kind: "proxied",
    upstream: target,
    standsIn,
    canaries: canaries.map((canary) => ({ canary, upstream: served.upstreams.get(canary.upstream) })),
    ...(path === undefined ? {} : { rewritten: path }),
  };
  return { guards: all, backends, end };
}

const isServed = (upstream: Upstream | undefined): boolean => (upstream?.endpoints.length ?? 0) > 0;

function sharesOf({ backends }: Location<FeatureValues>, { upstreams }: Served): readonly BackendShare[] {
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  const taking = backends.filter(({ weight }) => weight > 0);
  return taking.map((backend) => {
    return { backend, share: backend.weight / total, upstream: upstreams.get(backend.upstream) };
  });
}

/** Returns undefined if the filters leave the request to a backend. */
function answerOfFilters({ asked, request, port, settings }: AtLocation, filters: Filters): End | undefined {
  if (answersPreflight(filters, asked))
    return { kind: "answer", status: 204, why: "the route answers preflights of CORS" };
  const { redirect } = filters;
  if (redirect === undefined || port === undefined) return undefined;
  const target = redirectTarget(redirect, { asked, request, port, settings });
  return { kind: "answer", status: redirect.status, why: "RequestRedirect", location: target };
}

function unusableWords({ unusable }: WeightedBackend): string | undefined {
  return unusable && fullSentence(unusable);
}

function unserved({ key, service, port }: WeightedBackend): End {
  const of = service === "" ? "the default backend" : `Service ${key}, port ${port},`;
  return { kind: "answer", status: 503, why: `${of} has no endpoint that is ready` };
}

const isBuiltIn = ({ endpoints }: Upstream, builtInPort: number): boolean =>
  endpoints.some(({ address, port }) => address === "127.0.0.1" && port === builtInPort);

function notFound({ host, found: { location } }: AtLocation): End {
  const isRoot = location.owner === undefined || location.backends[0]!.service === "";
  const why =
    host.how === "nothing else"
      ? "no Ingress has this host"
      : isRoot
        ? "no path of the host takes it"
        : "the default backend answers";
  return { kind: "answer", status: 404, why: `${why}, and the built-in default backend answers 404` };
}

/** Returns the path after a filter or rewrite-target; undefined if it stays. */
function pathAfter({ found, request, port, settings }: AtLocation, backend: WeightedBackend): string | undefined {
  const { location, route, groups } = found;
  const { protocol = "http", filters } = backend;
  const isWithoutText = ownTextOf(location.features, "location") === "" && settings.locationSnippet === "";
  // As the traits of its text say (src/core/render/location/text.ts).
  const spells = port !== undefined && protocol.startsWith("http") && isWithoutText;
  const change = filters?.rewrite ?? location.filters?.rewrite;
  const path = change && rewritten(change, request, spells);
  if (path !== undefined) return path;
  const target = "rewrite" in route ? route.rewrite : undefined;
  if (target === undefined) return undefined;
  const isSpelled = spells && route.match === "pattern" && !target.includes("${");
  const own = isSpelled ? spelledGroups(groups, groupsIn(route, clientPath(request))) : undefined;
  return own === undefined ? escapedPath(expanded(target, groups)) : oneSlash(expanded(target, own));
}

/** Removes the operator's auth service, because the rule's own replaces it. */
function withoutOperators(location: Location<FeatureValues>): Location<FeatureValues> {
  return { ...location, features: { ...location.features, externalAuth: { kind: "none" } } };
}

function asking({ upstream, path, isGrpc }: AuthService): Guard {
  const where = path === "" ? "" : ` below ${path}`;
  const service = upstream.replace(/\/(\d+) .*$/, ", port $1");
  const says = isGrpc
    ? `Service ${service} is asked over gRPC; only its answer OK lets the request pass`
    : `Service ${service} is asked${where}; only its answer 200 lets the request pass`;
  return { what: "external-auth", says, outcome: "depends", status: 401 };
}
