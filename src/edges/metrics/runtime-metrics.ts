/**
 * Metrics of the traffic between the controller and the API server: requests, lists and watches,
 * work queues, the election. They have a registry of their own, because they exist before nginx and
 * its metrics, and only if there is a cluster.
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { GatewayFigures } from "../../core/model/gateway/figures.ts";
import type { ElectionEvent, QueueEvent, ReflectorEvent, SentRequest } from "../../kube/index.ts";
import { type DeclaredMetric, declaredIn } from "./declared.ts";
import { gatewayMetrics } from "./gateway-metrics.ts";

export interface RuntimeMetricsOptions {
  /** Labels of every metric of ingress-nginx. */
  readonly labels: Readonly<Record<string, string>>;
  /** The flag --enable-metrics: whether the metrics of ingress-nginx are served. */
  readonly enabled: boolean;
  /** Name of the Lease. */
  readonly electionId: string;
}

function ownMetrics(registers: Registry[]) {
  const about = (name: string, help: string) => ({ registers, name: `sluice_${name}`, help });
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ ...about(name, help), labelNames });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge<L>({ ...about(name, help), labelNames });
  const histogram = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Histogram<L>({ ...about(name, help), labelNames, buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 1, 5, 30] });
  return {
    requests: counter(
      "api_requests_total",
      "Requests to the API server, by verb and HTTP status; none: no answer.",
      "verb",
      "code",
    ),
    requestSeconds: histogram(
      "api_request_seconds",
      "Time until the API server answered; for a watch, until it was open.",
      "verb",
    ),
    lists: counter("reflector_lists_total", "Complete lists that were read.", "kind"),
    listSeconds: histogram("reflector_list_seconds", "Time to read a complete list.", "kind"),
    listed: gauge("reflector_list_objects", "Objects in the last complete list.", "kind"),
    watches: counter("reflector_watches_total", "Watches that were begun.", "kind"),
    failures: counter(
      "reflector_failures_total",
      "Lists and watches that failed, by reason; they are tried again.",
      "kind",
      "reason",
    ),
    versionsLost: counter("reflector_versions_lost_total", "Times that everything had to be listed again.", "kind"),
    depth: gauge("queue_depth", "Keys that wait in a work queue.", "queue"),
    adds: counter("queue_adds_total", "Keys that were put into a work queue.", "queue"),
    retries: counter("queue_retries_total", "Keys that are tried again.", "queue"),
    waitSeconds: histogram("queue_wait_seconds", "Time that keys waited for a worker.", "queue"),
    workSeconds: histogram("queue_work_seconds", "Time that workers spent on a key.", "queue"),
    statuses: counter(
      "gateway_statuses_total",
      "Statuses of objects of the Gateway API that were written, or failed.",
      "kind",
      "result",
    ),
  };
}

export class RuntimeMetrics {
  readonly #registry = new Registry();
  readonly #own = ownMetrics([this.#registry]);
  readonly #options: RuntimeMetricsOptions;
  readonly #leading: Gauge;
  #figures: () => GatewayFigures | undefined = () => undefined;

  constructor(options: RuntimeMetricsOptions) {
    this.#options = options;
    gatewayMetrics([this.#registry], () => this.#figures());
    this.#leading = new Gauge({
      registers: options.enabled ? [this.#registry] : [],
      name: "nginx_ingress_controller_leader_election_status",
      help: "1 for the leader, 0 for a replica that led before; absent if it never did.",
      labelNames: [...Object.keys(options.labels), "name"],
    });
  }

  request({ verb, code, tookMs }: SentRequest): void {
    this.#own.requests.inc({ verb, code: code === 0 ? "none" : `${code}` });
    this.#own.requestSeconds.observe({ verb }, tookMs / 1000);
  }

  /**
   * Counts an event of a Reflector. `kind` is in the plural, as in a path of the API: `ingresses`.
   */
  reflected(kind: string, event: ReflectorEvent): void {
    switch (event.kind) {
      case "listed":
        this.#own.lists.inc({ kind });
        this.#own.listSeconds.observe({ kind }, event.tookMs / 1000);
        this.#own.listed.set({ kind }, event.objects);
        // A streaming list is the beginning of a watch.
        if (event.streamed) this.#own.watches.inc({ kind });
        break;
      case "watching":
        this.#own.watches.inc({ kind });
        break;
      case "failed":
        this.#own.failures.inc({ kind, reason: event.failure.reason });
        break;
      case "version-lost":
        this.#own.versionsLost.inc({ kind });
    }
  }

  queued(queue: string, event: QueueEvent): void {
    if (event.kind === "added" || event.kind === "taken") this.#own.depth.set({ queue }, event.depth);
    if (event.kind === "added") this.#own.adds.inc({ queue });
    if (event.kind === "retried") this.#own.retries.inc({ queue });
    if (event.kind === "taken") this.#own.waitSeconds.observe({ queue }, event.waitedMs / 1000);
    if (event.kind === "done") this.#own.workSeconds.observe({ queue }, event.tookMs / 1000);
  }

  /** Counts the write of a status. `object` is, for example, `HTTPRoute shop/web`. */
  statusWritten({ kind: result, object }: { readonly kind: "written" | "failed"; readonly object: string }): void {
    this.#own.statuses.inc({ kind: object.slice(0, object.indexOf(" ")), result });
  }

  /** Sets the source of the figures of the Gateway API, which is read at each scrape. */
  gateways(figures: () => GatewayFigures | undefined): void {
    this.#figures = figures;
  }

  elected({ kind }: ElectionEvent): void {
    const labels = { ...this.#options.labels, name: this.#options.electionId };
    if (kind === "leading") this.#leading.set(labels, 1);
    if (kind === "lost" || kind === "released") this.#leading.set(labels, 0);
  }

  /** Returns all metrics that may be served, including those without a value so far. */
  declared(): readonly DeclaredMetric[] {
    return declaredIn(this.#registry);
  }

  /** Returns the text for Prometheus, which follows the text of all other metrics. */
  exposition(): Promise<string> {
    return this.#registry.metrics();
  }
}
