/** Counts the present Problems, by source and kind. */
import { Gauge } from "prom-client";
import type { Problem } from "../../core/model/problem.ts";
import { Table } from "../../core/model/table.ts";
import type { MetricMakers } from "./makers.ts";

export class ProblemMetrics {
  readonly #problems: Gauge<"source" | "kind">;
  readonly #bySource = new Map<string, Table<readonly Problem[]>>();

  constructor({ ours }: MetricMakers) {
    this.#problems = new Gauge({
      ...ours("problems", "Problems that there are now, by source and kind."),
      labelNames: ["source", "kind"],
    });
  }

  /** Sets all present Problems of `source`. */
  renew(source: string, all: Table<readonly Problem[]>): void {
    const changes = all.changesSince(this.of(source));
    this.#bySource.set(source, all);
    for (const { before = [], after = [] } of changes) {
      for (const { kind } of before) this.#problems.dec({ source, kind });
      for (const { kind } of after) this.#problems.inc({ source, kind });
    }
  }

  of(source: string): Table<readonly Problem[]> {
    return this.#bySource.get(source) ?? Table.empty();
  }
}
