/**
 * Requests by host, Ingress, path, method and status: the totals of what nginx's workers count. Workers hand over sums and
 * forget them, so the totals live here and begin anew with the controller, as Prometheus expects of counters.
 * Text is made by hand: a client library takes a second for as many series as a cluster has.
 */
import type { RequestBuckets } from "../render/machine.ts";

export interface RequestMetricsOptions {
  /** Labels of every metric of ingress-nginx. */
  readonly labels: Readonly<Record<string, string>>;
  readonly perHost: boolean;
  readonly buckets: RequestBuckets;
  /** Names of metrics to leave out, with or without their prefix. */
  readonly exclude: readonly string[];
  /** Whether the Ingress is served; series of others are dropped. */
  readonly serves: (namespace: string, ingress: string) => boolean;
  /** Series that there may be; further labels are counted as `other`. */
  readonly mostSeries?: number;
}

const prefix = "nginx_ingress_controller_";

/** In the order of the values that workers hand over (nginx/lua/sluice/count.lua). */
const histograms = [
  ["request_duration_seconds", "time", "Seconds from the first byte of a request until it was answered."],
  ["response_duration_seconds", "time", "Seconds that the backend took to answer."],
  ["header_duration_seconds", "time", "Seconds until the first byte of the backend's header."],
  ["connect_duration_seconds", "time", "Seconds that it took to connect to the backend."],
  ["request_size", "length", "Bytes of a request, line and header included."],
  ["response_size", "length", "Bytes sent to the client."],
  ["bytes_sent", "size", "Bytes sent to the client, in other buckets."],
] as const;

/** The second is what histograms have where their detail is not full. */
const labelNames = ["host", "namespace", "ingress", "service", "path", "canary", "method", "status"] as const;

interface Series {
  readonly labels: readonly string[];
  /** As they stand between the braces. */
  readonly text: string;
  readonly values: number[];
}

export class RequestMetrics {
  readonly #options: RequestMetricsOptions;
  readonly #constant: string;
  /** By their labels as text. */
  readonly #requests = new Map<string, Series>();
  readonly #histograms = new Map<string, Series>();
  readonly #shown: ReadonlySet<string>;
  readonly #linesEach: number;
  #series = 0;
  #folded = 0;

  constructor(options: RequestMetricsOptions) {
    this.#options = options;
    this.#constant = Object.entries(options.labels)
      .map(([name, value]) => `${name}="${escaped(value)}"`)
      .join();
    const excluded = new Set(options.exclude.map((name) => name.replace(prefix, "")));
    this.#shown = new Set(["requests", ...histograms.map(([name]) => name)].filter((name) => !excluded.has(name)));
    const lines = ([name, kind]: (typeof histograms)[number]) =>
      this.#shown.has(name) ? options.buckets[kind].length + 3 : 0;
    this.#linesEach = histograms.reduce((sum, one) => sum + lines(one), 0);
  }

  /** Adds what workers handed over. */
  take(text: string): void {
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const [what, labels, sums] = JSON.parse(line) as [string, string[], number | number[]];
      if (typeof sums === "number") this.#add(this.#requests, labels, [1, sums], 1);
      else if (what === "h") this.#add(this.#histograms, labels, sums, this.#linesEach);
    }
  }

  /** How often a set of labels had no room. */
  get folded(): number {
    return this.#folded;
  }

  /** The exposition, with a final line feed. */
  exposition(): string {
    this.#forget();
    const lines: string[] = [];
    if (this.#shown.has("requests")) {
      lines.push(`# HELP ${prefix}requests Requests of clients.`, `# TYPE ${prefix}requests counter`);
      for (const { text, values } of this.#requests.values()) lines.push(`${prefix}requests{${text}} ${values[0]}`);
    }
    let at = 0;
    for (const [name, kind, help] of histograms) {
      const bounds = this.#options.buckets[kind];
      if (this.#shown.has(name)) {
        lines.push(`# HELP ${prefix}${name} ${help}`, `# TYPE ${prefix}${name} histogram`);
        for (const series of this.#histograms.values()) pushHistogram(lines, `${prefix}${name}`, series, at, bounds);
      }
      at += 2 + bounds.length;
    }
    return `${lines.join("\n")}\n`;
  }

  /** `sums` are pairs of a place, from 1, and what to add there. */
  #add(family: Map<string, Series>, labels: readonly string[], sums: readonly number[], lines: number): void {
    const { values } = this.#seriesOf(family, labels, lines);
    for (let at = 0; at < sums.length; at += 2) values[sums[at]! - 1] = (values[sums[at]! - 1] ?? 0) + sums[at + 1]!;
  }

  #seriesOf(family: Map<string, Series>, labels: readonly string[], lines: number): Series {
    const key = labels.join("\0");
    const known = family.get(key);
    if (known !== undefined) return known;
    const other = labels.map(() => "other");
    if (this.#series + lines > (this.#options.mostSeries ?? 50_000) && key !== other.join("\0")) {
      this.#folded += 1;
      return this.#seriesOf(family, other, 0);
    }
    const named = labels.map((value, at) => [labelNames[at]!, value] as const);
    const own = named.filter(([name]) => name !== "host" || this.#options.perHost);
    const text = [this.#constant, ...own.map(([name, value]) => `${name}="${escaped(value)}"`)].join();
    const series = { labels, text, values: [] };
    family.set(key, series);
    this.#series += lines;
    return series;
  }

  /** Drops the series of Ingresses that are gone. */
  #forget(): void {
    for (const [family, lines] of [
      [this.#requests, 1],
      [this.#histograms, this.#linesEach],
    ] as const) {
      for (const [key, { labels }] of family) {
        const [, namespace = "", ingress = ""] = labels;
        if (ingress === "" || ingress === "other" || this.#options.serves(namespace, ingress)) continue;
        family.delete(key);
        this.#series -= lines;
      }
    }
  }
}

function pushHistogram(
  lines: string[],
  name: string,
  { text, values }: Series,
  at: number,
  bounds: readonly number[],
): void {
  const count = values[at + 1] ?? 0;
  if (count === 0) return;
  let below = 0;
  for (const [n, bound] of bounds.entries()) {
    below += values[at + 2 + n] ?? 0;
    lines.push(`${name}_bucket{${text},le="${bound}"} ${below}`);
  }
  lines.push(
    `${name}_bucket{${text},le="+Inf"} ${count}`,
    `${name}_sum{${text}} ${values[at] ?? 0}`,
    `${name}_count{${text}} ${count}`,
  );
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`));
}
