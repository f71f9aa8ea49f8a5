/**
 * What a canary says that counts for nothing, since all but its share of requests and its balancing is that of the Ingress it relieves (RS-13.9).
 * Tools copy an Ingress with all its annotations to make a canary of it, so what both say alike is no mistake.
 */
import type { Fields } from "../../annotations/declare.ts";
import { annotationKeys } from "../../annotations/read.ts";
import { featureList } from "../../annotations/registry.ts";
import type { Problem } from "../../problem.ts";
import type { Claim } from "../claim.ts";

const known = new Set(annotationKeys);

/** What it says of its host as a whole. */
const ofHost = new Set<string>(
  featureList.flatMap(([, { ofCanaries, fields }]) =>
    ofCanaries === true ? Object.values(fields as Fields).map(({ key }) => key) : [],
  ),
);

/** Whether a canary is heard about this key. What it says of cookies counts where its clients are bound to it by itself. */
export function isHeardOfCanary(key: string): boolean {
  return (
    ofHost.has(key) || /^(canary|affinity|session-cookie-|load-balance$|upstream-hash-by|service-upstream$)/.test(key)
  );
}

/** `relieved` are those whose Locations it relieves. */
export function unheardAnnotations(
  { object, ingress }: Claim,
  relieved: readonly (Claim | undefined)[],
  prefix: string,
): Problem[] {
  const others = relieved.filter((claim) => claim !== undefined);
  return Object.entries(ingress.metadata.annotations ?? {}).flatMap(([name, text]): Problem[] => {
    const key = name.startsWith(`${prefix}/`) ? name.slice(prefix.length + 1) : "";
    if (!known.has(key) || isHeardOfCanary(key)) return [];
    const main = others.find((other) => other.ingress.metadata.annotations?.[name] !== text);
    if (main === undefined) return [];
    const why = `this is a canary, and a request that it takes has the settings of Ingress ${main.key}`;
    return [{ object, kind: "annotation-useless", key, why }];
  });
}
