/** Computes the weights of endpoints, which nginx uses, from the weights of backends. */
import type { Endpoint } from "../../model/configuration.ts";
import type { StreamBackend } from "../../model/streams.ts";

export interface WeightedEndpoint {
  readonly endpoint: Endpoint;
  /** A whole number, from 1. */
  readonly weight: number;
}

/**
 * Divides each backend's weight among its endpoints. The results are the smallest whole numbers
 * with the same proportions, as far as none exceeds `largest`. nginx adds them up in 64 bits, which
 * is enough for many thousand endpoints.
 */
export function weightedServers(backends: readonly StreamBackend[], largest = 1_000_000): readonly WeightedEndpoint[] {
  if (backends.length === 0) return [];
  const shares = backends.map(({ weight, endpoints }) => weight / endpoints.length);
  const counts = backends.map(({ endpoints }) => endpoints.length).reduce(leastCommonMultiple, 1);
  const exact = shares.map((share) => Math.round(share * counts));
  const most = Math.max(...exact);
  const scaled =
    most <= largest * exact.reduce(greatestCommonDivisor)
      ? exact
      : shares.map((share) => Math.max(1, Math.round((share / Math.max(...shares)) * largest)));
  const divisor = scaled.reduce(greatestCommonDivisor);
  return backends.flatMap(({ endpoints }, at) =>
    endpoints.map((endpoint) => ({ endpoint, weight: scaled[at]! / divisor })),
  );
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Returns the least common multiple, or a limit if numbers would no longer be exact. */
function leastCommonMultiple(a: number, b: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, (a / greatestCommonDivisor(a, b)) * b);
}
