/** What metrics have in common, by whose they are. */
import type { Registry } from "prom-client";

export interface MetricParts {
  readonly registers: Registry[];
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

export interface MetricMakers {
  /** Of ingress-nginx, with its prefix and labels; they go nowhere without --enable-metrics. */
  readonly theirs: (name: string, help: string) => MetricParts;
  /** What was missing there, always there. */
  readonly ours: (name: string, help: string) => MetricParts;
}
