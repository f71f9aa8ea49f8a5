/**
 * Converts the canaries of a Location to rules with its path: rules that match headers for the
 * clients that canaries name, and weights for all others. As with canaries, a header counts before
 * a cookie, and a cookie before weights.
 */
import type { Canary } from "../../core/model/configuration.ts";
import type { ValueMatch } from "../../core/model/gateway/objects.ts";

/** A part of the requests to a path, and the backends that get them. */
export interface Variant {
  readonly headers: readonly ValueMatch[];
  /**
   * Ids of Upstreams with the shares of requests that they get; `undefined` is the Location's own.
   */
  readonly shares: readonly Share[];
  /** The annotation that causes it, in words for people. */
  readonly because: string;
}

export interface Share {
  readonly upstream: string | undefined;
  /** A weight relative to the sum of all weights in the variant. */
  readonly weight: number;
}

/** Returns the variants. The last one is for requests about which no header decides. */
export function variantsOf(canaries: readonly Canary[]): readonly Variant[] {
  const byHeader = canaries.flatMap((canary) => headerVariants(canary, canaries));
  const byCookie = canaries.flatMap((canary) => cookieVariants(canary, canaries));
  return [...byHeader, ...byCookie, { headers: [], shares: sharesOf(canaries), because: "canary-weight" }];
}

function headerVariants(canary: Canary, all: readonly Canary[]): Variant[] {
  const { header, headerValue, headerPattern } = canary.policy;
  if (header === "") return [];
  const taken = [{ upstream: canary.upstream, weight: 1 }];
  const match = (value: string, type?: "RegularExpression"): ValueMatch[] => [
    { ...(type === undefined ? {} : { type }), name: header, value },
  ];
  if (headerValue !== "") return [{ headers: match(headerValue), shares: taken, because: "canary-by-header-value" }];
  if (headerPattern !== "") {
    const headers = match(`(?s:.*)(?:${headerPattern})(?s:.*)`, "RegularExpression");
    return [{ headers, shares: taken, because: "canary-by-header-pattern" }];
  }
  return [
    { headers: match("always"), shares: taken, because: "canary-by-header" },
    { headers: match("never"), shares: sharesOf(without(canary, all)), because: "canary-by-header" },
  ];
}

/**
 * Returns the variants for a canary's cookie. nginx compares names of cookies without their case.
 */
function cookieVariants(canary: Canary, all: readonly Canary[]): Variant[] {
  const { cookie } = canary.policy;
  if (cookie === "") return [];
  const match = (word: string): ValueMatch[] => {
    const name = cookie.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return [{ type: "RegularExpression", name: "Cookie", value: `(?:.*[;,\\s])?(?i:${name})=${word}(?:[;,\\s].*)?` }];
  };
  return [
    { headers: match("always"), shares: [{ upstream: canary.upstream, weight: 1 }], because: "canary-by-cookie" },
    { headers: match("never"), shares: sharesOf(without(canary, all)), because: "canary-by-cookie" },
  ];
}

const without = (canary: Canary, all: readonly Canary[]) => all.filter((one) => one !== canary);

/**
 * Returns the shares of the canaries and of the Location, with one common total. Weights are shares
 * of all requests, so the Location gets the rest.
 */
function sharesOf(canaries: readonly Canary[]): readonly Share[] {
  const weighted = canaries.filter(({ policy }) => policy.weight > 0);
  if (weighted.length === 0) return [{ upstream: undefined, weight: 1 }];
  const total = weighted.reduce((common, { policy }) => leastCommonMultiple(common, policy.weightTotal), 1);
  let left = total;
  const shares = weighted.map(({ upstream, policy }): Share => {
    const weight = Math.min(left, (policy.weight * total) / policy.weightTotal);
    left -= weight;
    return { upstream, weight };
  });
  return [{ upstream: undefined, weight: left }, ...shares];
}

function leastCommonMultiple(one: number, other: number): number {
  let [a, b] = [one, other];
  while (b !== 0) [a, b] = [b, a % b];
  return (one / a) * other;
}
