/**
 * One thing of ingress-nginx that a cluster uses, and how it moves. A mistake that exists in
 * ingress-nginx as well is `idle`. It is not an obstacle, because nothing changes.
 */
import type { FilePlace } from "../../core/model/problem.ts";

export type Verdict = "same" | "differs" | "work";

export interface Item {
  /**
   * `Ingress shop/web`, `ConfigMap ingress-nginx/ingress-nginx-controller`, `Deployment …`,
   * `values`.
   */
  readonly of: string;
  readonly what: "annotation" | "key" | "flag" | "value" | "object";
  /** The name of the annotation, key, flag or value; empty for the object as a whole. */
  readonly name: string;
  readonly verdict: Verdict;
  /** The differences, or the work that has to be done; one sentence each. */
  readonly notes: readonly string[];
  /** Its mistake, or the reason why it has no effect, in ingress-nginx and in Sluice. */
  readonly idle: readonly string[];
  readonly at?: FilePlace;
  /** The namespace and the class of an Ingress; the class is empty if the Ingress names none. */
  readonly namespace?: string;
  readonly class?: string;
}

/** The severity in words that other tools know. */
export const severities = { work: "error", differs: "warning", same: "info" } as const;

const order: readonly Verdict[] = ["same", "differs", "work"];

export function worst(verdicts: Iterable<Verdict>): Verdict {
  return order[Math.max(0, ...[...verdicts].map((verdict) => order.indexOf(verdict)))]!;
}
