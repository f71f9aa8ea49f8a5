/** The common parts of metrics, for each of the two families. */
import type { Registry } from "prom-client";

export interface MetricParts {
  readonly registers: Registry[];
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

export interface MetricMakers {
  /**
   * Metrics of ingress-nginx, with its prefix and labels; they are served only with
   * --enable-metrics.
   */
  readonly theirs: (name: string, help: string) => MetricParts;
  /** Metrics that ingress-nginx lacks; they are always served. */
  readonly ours: (name: string, help: string) => MetricParts;
}
