/**
 * Requests by host, Ingress, path, method and status: the totals of the counts of nginx's workers.
 * Workers hand over their sums and drop them, so the totals are kept here and begin at 0 when the
 * controller starts, as Prometheus expects of counters. This file writes the text itself: a client
 * library takes a second for the many series of a cluster.
 */

import type { RequestBuckets } from "../../core/tokens/machine.ts";
import { type Failures, readFailed } from "../failures.ts";
import type { DeclaredMetric } from "./declared.ts";
import { type Label, labelsText } from "./exposition.ts";
import { type Family, type Series, SeriesRoom } from "./series-room.ts";

export interface RequestMetricsOptions {
  /** Labels of every metric of ingress-nginx. */
  readonly labels: Readonly<Record<string, string>>;
  readonly perHost: boolean;
  /** Whether histograms have all labels, or only the first `ownLabels`. */
  readonly full: boolean;
  readonly buckets: RequestBuckets;
  /** Names of metrics to leave out, with or without their prefix. */
  readonly exclude: readonly string[];
  /** Whether the Ingress is served; series of others are dropped. */
  readonly serves: (namespace: string, ingress: string) => boolean;
  /** Whether an HTTPRoute is served, by `namespace/name`. */
  readonly servesRoute: (route: string) => boolean;
  /** The most series. Requests with further labels are counted as `other`. */
  readonly mostSeries?: number;
  /** Gets the failed requests. */
  readonly failures: Pick<Failures, "request">;
  /** Called once, when there are too many series. */
  readonly ceilingReached?: (mostSeries: number) => void;
}

const prefix = "nginx_ingress_controller_";

/** The histograms, in the order of the sums that workers hand over (nginx/lua/sluice/count.lua). */
const histograms = [
  ["request_duration_seconds", "time", "Seconds from the first byte of a request until it was answered."],
  ["response_duration_seconds", "time", "Seconds that the backend took to answer."],
  ["header_duration_seconds", "part", "Seconds until the first byte of the backend's header."],
  ["connect_duration_seconds", "part", "Seconds that it took to connect to the backend."],
  ["request_size", "length", "Bytes of a request, line and header included."],
  ["response_size", "length", "Bytes sent to the client."],
  ["bytes_sent", "size", "Bytes sent to the client, in other buckets."],
] as const;

const labelNames = ["host", "namespace", "ingress", "service", "path", "canary", "method", "status"] as const;
/** Further labels of routes' requests, in the order of nginx/lua/sluice/route/variables.lua. */
const routeLabelNames = ["gateway", "listener", "route", "rule"] as const;
/** The labels of small histograms. The duration also has the class of the status. */
const ownLabels = 4;
const countPlace = 1;
const other = "other";
const statusPlace = labelNames.length - 1;
const requestsHelp = "Requests of clients.";

const allLabels = [...labelNames, ...routeLabelNames];

/** The metrics of requests, with the labels of histograms with --request-histograms=full. */
export const requestDeclarations: readonly DeclaredMetric[] = [
  { name: `${prefix}requests`, type: "counter", labels: labelNames, help: requestsHelp },
  ...histograms.map(([name, , help]) => ({ name: `${prefix}${name}`, type: "histogram", labels: labelNames, help })),
];

/** The sums of workers for one set of labels. */
export interface CountedSums {
  readonly host: string;
  /** `namespace/name` of the Ingress, or of the route. */
  readonly owner: string;
  readonly path: string;
  readonly status: string;
  readonly count: number;
  /**
   * Durations by bucket. Each bucket counts only its own requests; the unlimited one is left out.
   */
  readonly buckets: readonly number[];
}

export class RequestMetrics {
  readonly #options: RequestMetricsOptions;
  readonly #constant: readonly Label[];
  readonly #requests: Family;
  readonly #durations: Family;
  readonly #others: Family;
  readonly #shown: ReadonlySet<string>;
  /** The last index of the first histogram, which has a family of its own. */
  readonly #lastOfDurations: number;
  readonly #room: SeriesRoom;
  #folded = 0;
  #isFull = false;
  readonly #followers = new Set<(sums: CountedSums) => void>();

  constructor(options: RequestMetricsOptions) {
    this.#options = options;
    this.#constant = Object.entries(options.labels);
    const excluded = new Set(options.exclude.map((name) => name.replace(prefix, "")));
    this.#shown = new Set(["requests", ...histograms.map(([name]) => name)].filter((name) => !excluded.has(name)));
    const [duration, ...others] = histograms.map(([name, kind]) =>
      this.#shown.has(name) ? options.buckets[kind].length + 3 : 0,
    );
    this.#lastOfDurations = 2 + options.buckets.time.length;
    const most = options.mostSeries ?? 50_000;
    const family = (lines: number, room: number): Family => ({ series: new Map(), lines, room });
    // Some series are reserved for counters, because histograms need twenty times as many.
    this.#requests = family(1, most);
    this.#durations = family(duration!, most * 0.95);
    this.#others = family(
      others.reduce((sum, lines) => sum + lines, 0),
      most * 0.95,
    );
    this.#room = new SeriesRoom([this.#requests, this.#durations, this.#others]);
  }

  /**
   * Adds the counts that workers handed over. A line has parts with tabs between them. The first
   * part has pairs of an index, from 1 in rising order, and the value to add there. The other parts
   * are labels. The path of an Ingress is the last label and may hold tabs; the path of a route is
   * followed by the labels that only routes have. A line that begins with `!` is the last failed
   * request with these labels: its status and three times stand before them.
   */
  take(text: string): void {
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const failed = line.startsWith("!") ? line.slice(1).split("\t", 4) : undefined;
      const [
        sums = "",
        host = "",
        canary = "",
        method = "",
        status = "",
        namespace = "",
        ingress = "",
        service = "",
        ...rest
      ] = line.split("\t").slice(failed === undefined ? 0 : 3);
      const isRoute = ingress === "" && namespace !== "" && rest.length > routeLabelNames.length;
      const ofRoute = isRoute ? rest.splice(-routeLabelNames.length) : [];
      const labels = [host, namespace, ingress, service, rest.join("\t"), canary, method, status, ...ofRoute];
      if (failed !== undefined) {
        const owner = ingress === "" ? (ofRoute[2] ?? "") : `${namespace}/${ingress}`;
        const [code = "", ...times] = failed;
        this.#options.failures.request({ host, owner, path: rest.join("\t") }, readFailed(code, times, method));
        continue;
      }
      const numbers = sums.split(" ").map(Number);
      this.#count(labels, numbers);
      for (const follower of this.#followers) follower(countedSums(labels, numbers, this.bounds.length));
    }
  }

  /** Calls `follower` for all sums that arrive from now on. Returns a function that ends this. */
  follow(follower: (sums: CountedSums) => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Upper bounds of the buckets of durations, in seconds. */
  get bounds(): readonly number[] {
    return this.#options.buckets.time;
  }

  /** Requests that were counted as `other`. */
  get folded(): number {
    return this.#folded;
  }

  /** Returns the text for Prometheus, with a final line feed. */
  exposition(): string {
    this.#forget();
    const lines: string[] = [];
    if (this.#shown.has("requests")) {
      lines.push(`# HELP ${prefix}requests ${requestsHelp}`, `# TYPE ${prefix}requests counter`);
      for (const { text, values } of this.#requests.series.values())
        lines.push(`${prefix}requests{${text}} ${values[countPlace]}`);
    }
    let at = 0;
    for (const [name, kind, help] of histograms) {
      const bounds = this.#options.buckets[kind];
      if (this.#shown.has(name)) {
        const family = at === 0 ? this.#durations : this.#others;
        lines.push(`# HELP ${prefix}${name} ${help}`, `# TYPE ${prefix}${name} histogram`);
        for (const series of family.series.values())
          lines.push(...histogramLines(`${prefix}${name}`, series, { at, bounds }));
      }
      at += 2 + bounds.length;
    }
    return `${lines.join("\n")}\n`;
  }

  #count(labels: readonly string[], sums: readonly number[]): void {
    const all = named(labels);
    const { full } = this.#options;
    const end = sums.findIndex((place, at) => at % 2 === 0 && place > this.#lastOfDurations);
    const [durations, others] = end < 0 ? [sums, []] : [sums.slice(0, end), sums.slice(end)];
    const series = this.#add(this.#requests, all, durations);
    if (series.isOther) this.#folded += durations[3]!; // the sum and the count come first, and are always there
    const status = labels[statusPlace]!;
    const few = [...all.slice(0, ownLabels), ...all.slice(labelNames.length)];
    const andClass = [...few, ["status", /^\d/.test(status) ? `${status[0]}xx` : status] as const];
    if (this.#durations.lines > 0) this.#add(this.#durations, full ? all : andClass, durations);
    if (others.length > 0) this.#add(this.#others, full ? all : few, others);
  }

  /** `sums` are pairs of an index, from 1, and the value to add there. */
  #add(family: Family, labels: readonly Label[], sums: readonly number[]): Series {
    const series = this.#seriesOf(family, labels);
    const { values } = series;
    for (let at = 0; at < sums.length; at += 2) values[sums[at]! - 1] = (values[sums[at]! - 1] ?? 0) + sums[at + 1]!;
    return series;
  }

  #seriesOf(family: Family, labels: readonly Label[]): Series {
    const key = labels.map(([, value]) => value).join("\0");
    const known = family.series.get(key);
    if (known !== undefined) return known;
    const isOther = labels.every(([, value]) => value === other);
    const [, [, namespace], [, ingress]] = labels as [Label, Label, Label];
    const room = isOther ? "free" : this.#room.for(family, namespace);
    if (room !== "free") this.#reportFull();
    if (room === "none") {
      return this.#seriesOf(
        family,
        labels.filter(([name]) => !isOfRoute(name)).map(([name]) => [name, other] as const),
      );
    }
    const own = labels.filter(([name]) => name !== "host" || this.#options.perHost);
    const text = labelsText([...this.#constant, ...own]);
    const route = labels.find(([name]) => name === "route")?.[1] ?? "";
    const series = { namespace, ingress, route, isOther, text, values: [] };
    family.series.set(key, series);
    if (!isOther) this.#room.add(namespace, family.lines);
    return series;
  }

  #reportFull(): void {
    if (!this.#isFull) this.#options.ceilingReached?.(this.#options.mostSeries ?? 50_000);
    this.#isFull = true;
  }

  /** Drops the series of Ingresses and routes that are gone. */
  #forget(): void {
    for (const { series, lines } of [this.#requests, this.#durations, this.#others]) {
      for (const [key, { namespace, ingress, route, isOther }] of series) {
        const { serves, servesRoute } = this.#options;
        if (isOther || (ingress === "" && route === "")) continue;
        if (route === "" ? serves(namespace, ingress) : servesRoute(route)) continue;
        series.delete(key);
        this.#room.add(namespace, -lines);
      }
    }
  }
}

/** `sums` are pairs of an index and the value to add there. Pairs of the duration come first. */
function countedSums(labels: readonly string[], sums: readonly number[], buckets: number): CountedSums {
  const [host = "", namespace = "", ingress = "", , path = "", , , status = "", , , route = ""] = labels;
  const added = Array.from({ length: buckets }, () => 0);
  let count = 0;
  for (let at = 0; at < sums.length; at += 2) {
    const place = sums[at]! - 1;
    if (place === countPlace) count += sums[at + 1]!;
    else if (place > countPlace && place <= countPlace + buckets) added[place - countPlace - 1]! += sums[at + 1]!;
  }
  return { host, owner: ingress === "" ? route : `${namespace}/${ingress}`, path, status, count, buckets: added };
}

function named(labels: readonly string[]): Label[] {
  return labels.map((value, at) => [allLabels[at]!, value]);
}

const isOfRoute = (name: string): boolean => (routeLabelNames as readonly string[]).includes(name);

/** `at` is the index at which the values of this histogram begin. */
function histogramLines(
  name: string,
  { text, values }: Series,
  { at, bounds }: { readonly at: number; readonly bounds: readonly number[] },
): string[] {
  const count = values[at + 1] ?? 0;
  if (count === 0) return [];
  let below = 0;
  const buckets = bounds.map((bound, n) => {
    below += values[at + 2 + n] ?? 0;
    return `${name}_bucket{${text},le="${bound}"} ${below}`;
  });
  return [
    ...buckets,
    `${name}_bucket{${text},le="+Inf"} ${count}`,
    `${name}_sum{${text}} ${values[at] ?? 0}`,
    `${name}_count{${text}} ${count}`,
  ];
}
