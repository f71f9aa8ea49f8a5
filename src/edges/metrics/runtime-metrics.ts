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

const seconds = [0.001, 0.005, 0.025, 0.1, 0.25, 1, 5, 30];

export class RuntimeMetrics {
  readonly #registry = new Registry();
  readonly #options: RuntimeMetricsOptions;
  readonly #requests: Counter<"verb" | "code">;
  readonly #requestSeconds: Histogram<"verb">;
  readonly #lists: Counter<"kind">;
  readonly #listSeconds: Histogram<"kind">;
  readonly #listed: Gauge<"kind">;
  readonly #watches: Counter<"kind">;
  readonly #failures: Counter<"kind" | "reason">;
  readonly #versionsLost: Counter<"kind">;
  readonly #depth: Gauge<"queue">;
  readonly #adds: Counter<"queue">;
  readonly #retries: Counter<"queue">;
  readonly #waitSeconds: Histogram<"queue">;
  readonly #workSeconds: Histogram<"queue">;
  readonly #statuses: Counter<"kind" | "result">;
  readonly #leading: Gauge;
  #figures: () => GatewayFigures | undefined = () => undefined;

  constructor(options: RuntimeMetricsOptions) {
    this.#options = options;
    const registers = [this.#registry];
    const ours = (name: string, help: string) => ({ registers, name: `sluice_${name}`, help });
    const request = ours("api_requests_total", "Requests to the API server, by verb and HTTP status; none: no answer.");
    this.#requests = new Counter({ ...request, labelNames: ["verb", "code"] });
    const took = ours("api_request_seconds", "Time until the API server answered; for a watch, until it was open.");
    this.#requestSeconds = new Histogram({ ...took, labelNames: ["verb"], buckets: seconds });

    const kind = { labelNames: ["kind"] } as const;
    this.#lists = new Counter({ ...ours("reflector_lists_total", "Complete lists that were read."), ...kind });
    const listTook = ours("reflector_list_seconds", "Time to read a complete list.");
    this.#listSeconds = new Histogram({ ...listTook, ...kind, buckets: seconds });
    this.#listed = new Gauge({ ...ours("reflector_list_objects", "Objects in the last complete list."), ...kind });
    this.#watches = new Counter({ ...ours("reflector_watches_total", "Watches that were begun."), ...kind });
    const failures = ours(
      "reflector_failures_total",
      "Lists and watches that failed, by reason; they are tried again.",
    );
    this.#failures = new Counter({ ...failures, labelNames: ["kind", "reason"] });
    const lost = ours("reflector_versions_lost_total", "Times that everything had to be listed again.");
    this.#versionsLost = new Counter({ ...lost, ...kind });

    const queue = { labelNames: ["queue"] } as const;
    this.#depth = new Gauge({ ...ours("queue_depth", "Keys that wait in a work queue."), ...queue });
    this.#adds = new Counter({ ...ours("queue_adds_total", "Keys that were put into a work queue."), ...queue });
    this.#retries = new Counter({ ...ours("queue_retries_total", "Keys that are tried again."), ...queue });
    const waited = ours("queue_wait_seconds", "Time that keys waited for a worker.");
    this.#waitSeconds = new Histogram({ ...waited, ...queue, buckets: seconds });
    const worked = ours("queue_work_seconds", "Time that workers spent on a key.");
    this.#workSeconds = new Histogram({ ...worked, ...queue, buckets: seconds });

    const statuses = ours(
      "gateway_statuses_total",
      "Statuses of objects of the Gateway API that were written, or failed.",
    );
    this.#statuses = new Counter({ ...statuses, labelNames: ["kind", "result"] });

    gatewayMetrics(registers, () => this.#figures());

    this.#leading = new Gauge({
      registers: options.enabled ? registers : [],
      name: "nginx_ingress_controller_leader_election_status",
      help: "1 for the leader, 0 for a replica that led before; absent if it never did.",
      labelNames: [...Object.keys(options.labels), "name"],
    });
  }

  request({ verb, code, tookMs }: SentRequest): void {
    this.#requests.inc({ verb, code: code === 0 ? "none" : `${code}` });
    this.#requestSeconds.observe({ verb }, tookMs / 1000);
  }

  /**
   * Counts an event of a Reflector. `kind` is in the plural, as in a path of the API: `ingresses`.
   */
  reflected(kind: string, event: ReflectorEvent): void {
    switch (event.kind) {
      case "listed":
        this.#lists.inc({ kind });
        this.#listSeconds.observe({ kind }, event.tookMs / 1000);
        this.#listed.set({ kind }, event.objects);
        // A streaming list is the beginning of a watch.
        if (event.streamed) this.#watches.inc({ kind });
        break;
      case "watching":
        this.#watches.inc({ kind });
        break;
      case "failed":
        this.#failures.inc({ kind, reason: event.failure.reason });
        break;
      case "version-lost":
        this.#versionsLost.inc({ kind });
    }
  }

  queued(queue: string, event: QueueEvent): void {
    if (event.kind === "added" || event.kind === "taken") this.#depth.set({ queue }, event.depth);
    if (event.kind === "added") this.#adds.inc({ queue });
    if (event.kind === "retried") this.#retries.inc({ queue });
    if (event.kind === "taken") this.#waitSeconds.observe({ queue }, event.waitedMs / 1000);
    if (event.kind === "done") this.#workSeconds.observe({ queue }, event.tookMs / 1000);
  }

  /** Counts the write of a status. `object` is, for example, `HTTPRoute shop/web`. */
  statusWritten({ kind: result, object }: { readonly kind: "written" | "failed"; readonly object: string }): void {
    this.#statuses.inc({ kind: object.slice(0, object.indexOf(" ")), result });
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
