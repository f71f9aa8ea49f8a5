/**
 * What an Ingress asks of the Lua, and what becomes of it in an nginx without, as with --mode=static: its author is told of all that
 * comes out otherwise. What nginx cannot do for want of another module is said by the features themselves (`needs`).
 */
import type { FeatureValues } from "../../annotations/registry.ts";
import { smallestShare } from "../../directives/split-clients.ts";
import type { Ingress } from "../../model/objects.ts";
import type { Problem } from "../../problem.ts";

interface Lack {
  readonly key: string;
  /** Whether nothing is left of what the annotation asks for. */
  readonly useless: boolean;
  readonly why: string;
}

/** `prefix` is that of the annotations, without a slash. */
export function withoutLuaOf(ingress: Ingress, prefix: string, values: FeatureValues): Problem[] {
  const { namespace = "default", name, annotations = {} } = ingress.metadata;
  const object = { kind: "Ingress", namespace, name };
  return [...balancingLacks(values), ...canaryLacks(values), ...authLacks(values)]
    .filter(({ key }) => (annotations[`${prefix}/${key}`] ?? "") !== "")
    .map(({ key, useless, why }): Problem => {
      return { object, kind: useless ? "annotation-useless" : "annotation-doubtful", key, why };
    });
}

const lost = (key: string, why: string): Lack => ({ key, useless: true, why });
const otherwise = (key: string, why: string): Lack => ({ key, useless: false, why });

function balancingLacks({ sessionAffinity, loadBalance, upstreamHashBy, nextUpstream }: FeatureValues): Lack[] {
  const { type, mode, expires, conditionalSameSiteNone } = sessionAffinity;
  return [
    ...(mode === "persistent"
      ? [lost("affinity-mode", "static mode finds the Endpoint of a cookie as balanced does")]
      : []),
    ...(expires === undefined
      ? []
      : [lost("session-cookie-expires", "static mode writes no dates; session-cookie-max-age does the same")]),
    ...(conditionalSameSiteNone
      ? [lost("session-cookie-conditional-samesite-none", "static mode sends SameSite to all browsers alike")]
      : []),
    ...(type === "cookie"
      ? [
          lost(
            "session-cookie-change-on-failure",
            "in static mode a retry asks another Endpoint, whatever it says, and the cookie stays",
          ),
        ]
      : []),
    ...(loadBalance.algorithm === "ewma"
      ? [lost("load-balance", "static mode has no ewma; requests go round in turn")]
      : []),
    ...(upstreamHashBy !== undefined && upstreamHashBy.subset > 0
      ? [lost("upstream-hash-by-subset", "static mode hashes to one Endpoint of all, not to a group of them")]
      : []),
    ...(nextUpstream.tries === 1
      ? []
      : [otherwise("proxy-next-upstream-tries", "static mode asks each Endpoint once for a request at most")]),
  ];
}

function canaryLacks({ canary }: FeatureValues): Lack[] {
  if (canary === undefined) return [];
  const { header, weight, weightTotal } = canary;
  const nameless = header !== "" && !/^[\w-]+$/.test(header);
  return [
    ...(nameless ? [lost("canary-by-header", `static mode cannot look for a header called ${header}`)] : []),
    ...(weight > 0 && weight / weightTotal < smallestShare
      ? [lost("canary-weight", "static mode draws in hundredths of a percent, and this share is less than half of one")]
      : []),
  ];
}

function authLacks({ externalAuth }: FeatureValues): Lack[] {
  if (externalAuth.kind !== "ask" || externalAuth.question.by === "operator") return [];
  const { only200, signin } = externalAuth.question;
  return [
    ...(signin === ""
      ? []
      : [
          otherwise(
            "auth-signin",
            "static mode cannot escape the address that the client came from, so the page gets it up to the first &",
          ),
        ]),
    otherwise(
      "auth-response-headers",
      "of several headers of one name in the answer static mode passes on the first, and of several cookies",
    ),
    ...(only200
      ? [otherwise("auth-keepalive", "static mode takes every 2xx of the auth service for a yes, not 200 alone")]
      : []),
  ];
}
