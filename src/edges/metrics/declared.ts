/**
 * The declaration of a metric, before anything is counted: its name, type, labels and meaning. The
 * reference page is made from it. The client library keeps the names of labels, and does not export
 * them.
 */
import type { Registry } from "prom-client";

export interface DeclaredMetric {
  readonly name: string;
  /** One of counter, gauge, histogram and summary. */
  readonly type: string;
  readonly labels: readonly string[];
  /** One sentence. */
  readonly help: string;
}

interface Registered {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** Returns the metrics of a registry, in the order in which they were made. */
export function declaredIn(registry: Registry): readonly DeclaredMetric[] {
  return (registry.getMetricsAsArray() as unknown as readonly Registered[]).map((metric) => ({
    name: metric.name,
    type: metric.constructor.name.toLowerCase(),
    labels: metric.labelNames ?? [],
    help: metric.help,
  }));
}
