/** Requests that routes in shadow would have taken, by the kind of change. */
import { Counter } from "prom-client";
import type { MetricMakers } from "./makers.ts";

export interface ShadowFigure {
  readonly host: string;
  readonly path: string;
  /** The kind of change that the route would cause; `same` if there would be none. */
  readonly kind: string;
  readonly requests: number;
}

/** The most series. There has to be a limit, because tenants choose paths and hosts. */
const mostSeries = 1_000;

export function registerShadowMetric({ ours }: MetricMakers, read: () => Promise<readonly ShadowFigure[]>): void {
  new Counter({
    ...ours("shadow_requests_total", "Requests that routes in shadow would have taken, by what would differ."),
    labelNames: ["host", "path", "kind"],
    async collect() {
      const figures = await read();
      this.reset();
      for (const { host, path, kind, requests } of figures.slice(0, mostSeries))
        this.inc({ host, path, kind }, requests);
    },
  });
}
