/**
 * Counters of the webhook, under the names of ingress-nginx. Sluice renders no full configuration
 * for a review. So the gauges about it have the cost of the one Ingress, and the size of the
 * configuration is 0.
 */
import { Counter, Gauge } from "prom-client";
import type { MetricMakers } from "./makers.ts";

export interface CheckFigures {
  readonly namespace: string;
  readonly ingress: string;
  readonly allowed: boolean;
  readonly tookMs: number;
}

/** The most Ingresses with a series of their own. All others share one. */
const mostNames = 1_000;

export class AdmissionMetrics {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #successes: Counter;
  readonly #errors: Counter;
  readonly #gauges: Readonly<Record<"ingresses" | "seconds" | "nothing", readonly Gauge[]>>;
  readonly #names = new Set<string>();

  constructor(labels: Readonly<Record<string, string>>, metric: MetricMakers["theirs"]) {
    this.#labels = labels;
    const counter = (name: string, help: string) => {
      const common = metric(name, help);
      return new Counter({ ...common, labelNames: [...common.labelNames, "namespace", "ingress"] });
    };
    const gauge = (name: string, help: string) => new Gauge(metric(`admission_${name}`, help));
    this.#successes = counter("check_success", "Ingresses that the webhook allowed.");
    this.#errors = counter("check_errors", "Ingresses that the webhook refused.");
    this.#gauges = {
      ingresses: [
        gauge("tested_ingresses", "Ingresses that the last review checked in full: always the one submitted."),
        gauge("render_ingresses", "Equal to admission_tested_ingresses, because nothing is rendered for a review."),
      ],
      seconds: [
        gauge("tested_duration", "Seconds that the last review took."),
        gauge("roundtrip_duration", "Seconds that the last review took, from its last byte to the answer."),
      ],
      nothing: [
        gauge("render_duration", "Always 0: nothing is rendered for a review."),
        gauge("config_size", "Always 0: nothing is rendered for a review."),
      ],
    };
  }

  checked({ namespace, ingress, allowed, tookMs }: CheckFigures): void {
    const name = `${namespace}/${ingress}`;
    const known = this.#names.has(name) || this.#names.size < mostNames;
    if (known) this.#names.add(name);
    const whose = known ? { namespace, ingress } : { namespace: "other", ingress: "other" };
    (allowed ? this.#successes : this.#errors).inc({ ...this.#labels, ...whose });
    if (!allowed) return;
    const { ingresses, seconds, nothing } = this.#gauges;
    for (const gauge of ingresses) gauge.set(this.#labels, 1);
    for (const gauge of seconds) gauge.set(this.#labels, tookMs / 1000);
    for (const gauge of nothing) gauge.set(this.#labels, 0);
  }
}
