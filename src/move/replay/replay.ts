/** Sends all requests to both addresses at a bounded rate, and keeps the differences. */
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../base/timing/clock.ts";
import { TokenBucket } from "../../base/timing/token-bucket.ts";
import type { Address } from "./address.ts";
import { type Answer, type Asker, askerOf } from "./answer.ts";
import { type AnswerDifference, differencesOf } from "./answer-differences.ts";
import { isSafe, type ReplayedRequest } from "./request.ts";

export interface ReplayOptions {
  readonly old: Address;
  readonly fresh: Address;
  /** Requests per second at each address. */
  readonly rate: number;
  readonly timeoutMs: number;
  /** Headers whose differences do not count, in lower case. */
  readonly ignored: ReadonlySet<string>;
  /** Ends the comparison early; the answers until then count. */
  readonly signal: AbortSignal;
  /** Called after each request. */
  readonly counted: (counts: Counts) => void;
}

export interface Counts {
  readonly total: number;
  readonly done: number;
  readonly equal: number;
  readonly differing: number;
}

export interface Compared {
  readonly request: ReplayedRequest;
  readonly differences: readonly AnswerDifference[];
  /**
   * Fields that also differ between two answers of one address, so their difference means nothing.
   */
  readonly varying: readonly string[];
  /** The reason why neither address gave an answer. */
  readonly failed?: string;
}

/** The most pairs of requests that may be in flight at once. */
const atOnce = 8;

/**
 * Returns the results in the order of `requests`. Requests that were not sent before `signal` are
 * left out.
 */
export async function replay(
  requests: readonly ReplayedRequest[],
  options: ReplayOptions,
): Promise<readonly Compared[]> {
  const { old, fresh, timeoutMs, rate, signal } = options;
  const askers: Askers = [askerOf(old, timeoutMs), askerOf(fresh, timeoutMs)];
  const bucket = new TokenBucket({ perSecond: rate, burst: Math.max(1, Math.min(rate, atOnce)) }, systemClock);
  const found: (Compared | undefined)[] = [];
  let [next, done, differing] = [0, 0, 0];
  const pace = async () => {
    while (!bucket.take()) await sleep(bucket.waitMs());
  };
  const worker = async () => {
    while (next < requests.length && !signal.aborted) {
      const at = next++;
      const compared = await compareOne(requests[at]!, askers, options, pace);
      found[at] = compared;
      done += 1;
      if (compared.differences.length > 0) differing += 1;
      options.counted({ total: requests.length, done, equal: done - differing, differing });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const asker of askers) asker.close();
  return found.filter((one) => one !== undefined);
}

type Askers = readonly [old: Asker, fresh: Asker];

async function compareOne(
  request: ReplayedRequest,
  askers: Askers,
  { old, fresh, ignored }: ReplayOptions,
  pace: () => Promise<void>,
): Promise<Compared> {
  const askPair = async (): Promise<Pair> => {
    await pace();
    return Promise.all([askers[0].ask(request), askers[1].ask(request)]);
  };
  const between = (a: Answer, b: Answer) =>
    differencesOf(request, { answer: a, address: old }, { answer: b, address: fresh }, ignored);
  const first = await askPair();
  const differences = between(...first);
  const [{ ok }] = first;
  if (!ok && !first[1].ok) return { request, differences: [], varying: [], failed: (first[0] as { why: string }).why };
  if (differences.length === 0 || !isSafe(request)) return { request, differences, varying: [] };
  const again = [await askPair(), await askPair()];
  const varying = new Set<string>();
  for (const pair of again) {
    // Asks each side twice and compares its answers with each other.
    for (const one of differencesOf(request, of(first[0], old), of(pair[0], old), ignored)) varying.add(nameOf(one));
    for (const one of differencesOf(request, of(first[1], fresh), of(pair[1], fresh), ignored))
      varying.add(nameOf(one));
  }
  return {
    request,
    differences: differences.filter((one) => !varying.has(nameOf(one))),
    varying: differences.map(nameOf).filter((name) => varying.has(name)),
  };
}

type Pair = readonly [old: Answer, fresh: Answer];

const of = (answer: Answer, address: Address) => ({ answer, address });

/** Returns, for example, `status` or `header cache-control`. */
export const nameOf = ({ field, name }: AnswerDifference): string => (name === undefined ? field : `${field} ${name}`);
