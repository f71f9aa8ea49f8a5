/**
 * One thing that a cluster uses of ingress-nginx, and how it moves. What is wrong already, in
 * ingress-nginx as well, is `idle` and no reason to stay: nothing about it changes.
 */
import type { FilePlace } from "../../problem.ts";

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
  /** How it differs, or what to do; a sentence each. */
  readonly notes: readonly string[];
  /** Its mistake, or the reason why it does nothing, in ingress-nginx as in Sluice. */
  readonly idle: readonly string[];
  readonly at?: FilePlace;
  /** For an Ingress: its namespace and its class, empty where it names none. */
  readonly namespace?: string;
  readonly class?: string;
}

/** How bad it is, in words that other tools know. */
export const severities = { work: "error", differs: "warning", same: "info" } as const;

const order: readonly Verdict[] = ["same", "differs", "work"];

export function worst(verdicts: Iterable<Verdict>): Verdict {
  return order[Math.max(0, ...[...verdicts].map((verdict) => order.indexOf(verdict)))]!;
}
