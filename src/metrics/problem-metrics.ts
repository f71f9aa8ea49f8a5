/** How many Problems there are now, by source and kind, and how many objects nginx refused and the controller has set aside. */
import { Gauge } from "prom-client";
import { Table } from "../model/table.ts";
import type { Problem } from "../problem.ts";
import type { MetricMakers } from "./makers.ts";

export class ProblemMetrics {
  readonly #problems: Gauge<"source" | "kind">;
  readonly #quarantined: Gauge<"kind">;
  readonly #bySource = new Map<string, Table<readonly Problem[]>>();

  constructor({ ours }: MetricMakers) {
    this.#problems = new Gauge({
      ...ours("problems", "Problems that there are now, by source and kind."),
      labelNames: ["source", "kind"],
    });
    this.#quarantined = new Gauge({
      ...ours("quarantined_objects", "Objects that nginx refused and that are set aside, by kind."),
      labelNames: ["kind"],
    });
    for (const kind of ["Ingress", "ConfigMap"]) this.#quarantined.set({ kind }, 0);
  }

  /** All Problems that `source` sees now. */
  renew(source: string, all: Table<readonly Problem[]>): void {
    const changes = all.changesSince(this.of(source));
    this.#bySource.set(source, all);
    for (const { before = [], after = [] } of changes) {
      for (const problem of before) this.#add(source, problem, -1);
      for (const problem of after) this.#add(source, problem, 1);
    }
  }

  of(source: string): Table<readonly Problem[]> {
    return this.#bySource.get(source) ?? Table.empty();
  }

  #add(source: string, { kind, object }: Problem, howMany: number): void {
    this.#problems.inc({ source, kind }, howMany);
    if (kind === "nginx-refused") this.#quarantined.inc({ kind: object.kind }, howMany);
  }
}
