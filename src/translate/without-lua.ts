/**
 * What an Ingress asks of the balancing that nginx has not by itself. Without Lua, as with --mode=static, its author is told; the rest of
 * what nginx cannot do is said by the features themselves (`needs`).
 */
import type { FeatureValues } from "../annotations/registry.ts";
import type { Ingress } from "../model/objects.ts";
import type { Problem } from "../problem.ts";

/** `prefix` is that of the annotations, without a slash. */
export function withoutLuaOf(ingress: Ingress, prefix: string, values: FeatureValues): Problem[] {
  const { namespace = "default", name, annotations = {} } = ingress.metadata;
  const object = { kind: "Ingress", namespace, name };
  const { sessionAffinity, loadBalance, upstreamHashBy } = values;
  const problems: Problem[] = [];
  const useless = (key: string, why: string) => {
    if ((annotations[`${prefix}/${key}`] ?? "") !== "") problems.push({ object, kind: "annotation-useless", key, why });
  };
  if (sessionAffinity.mode === "persistent")
    useless("affinity-mode", "static mode finds the Endpoint of a cookie as balanced does");
  if (sessionAffinity.expires !== undefined)
    useless("session-cookie-expires", "static mode writes no dates; session-cookie-max-age does the same");
  if (sessionAffinity.conditionalSameSiteNone)
    useless("session-cookie-conditional-samesite-none", "static mode sends SameSite to all browsers alike");
  if (loadBalance.algorithm === "ewma") useless("load-balance", "static mode has no ewma; requests go round in turn");
  if (upstreamHashBy !== undefined && upstreamHashBy.subset > 0)
    useless("upstream-hash-by-subset", "static mode hashes to one Endpoint of all, not to a group of them");
  return problems;
}
