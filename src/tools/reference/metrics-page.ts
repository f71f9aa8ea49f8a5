/** The reference page of the metrics. */
import type { DeclaredMetric } from "../../edges/metrics/declared.ts";
import { Metrics } from "../../edges/metrics/metrics.ts";
import { RuntimeMetrics } from "../../edges/metrics/runtime-metrics.ts";
import { code, table } from "./markdown.ts";

const labels = { controller_namespace: "", controller_class: "", controller_pod: "" };
const common = Object.keys(labels);

/**
 * Returns every metric of a controller in a cluster with all features turned on. Parts of the
 * controller are replaced by stand-ins that are never used.
 */
export function allMetrics(): readonly DeclaredMetric[] {
  const nothing = async () => undefined;
  const metrics = new Metrics({
    labels,
    build: { release: "", build: "", repository: "" },
    enabled: true,
    webhook: true,
    nowMs: () => 0,
    generation: () => undefined,
    own: () => Promise.reject(new Error("nothing runs")),
    processes: nothing,
    served: () => undefined,
    leads: () => false,
    requests: undefined,
    counts: async () => "",
    failures: { counts: new Map(), request: () => {} },
    shadows: async () => [],
  });
  const runtime = new RuntimeMetrics({ labels, enabled: true, electionId: "" });
  return [...metrics.declared(), ...runtime.declared()];
}

const parts = [
  [
    "Metrics of ingress-nginx",
    "nginx_ingress_controller_",
    "Their names, labels and types are those of ingress-nginx. They need `--enable-metrics` (chart: `controller.metrics.enabled`).",
  ],
  ["Metrics of Sluice", "sluice_", "They are always there."],
  [
    "The controller's process and its scrapes",
    "",
    "As client libraries of Prometheus name them. They are always there.",
  ],
] as const;

export function metricsPage(): string {
  const all = allMetrics().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const used = new Set<string>();
  const sections = parts.map(([title, prefix, text]) => {
    const some = all.filter(({ name }) => name.startsWith(prefix) && !used.has(name));
    for (const { name } of some) used.add(name);
    return `## ${title}\n\n${text}\n\n${table(["Metric", "Type", "Unit", "Labels", "Meaning"], some.map(row))}`;
  });
  return `${intro}\n${sections.join("\n")}`;
}

const intro = `# Metrics

<!-- Printed by \`sluice reference metrics\`; npm test checks it. -->

Every metric that the controller serves at \`/metrics\` on its health port. [metrics.md](../metrics.md)
shows how to use them. "(controller)" stands for the labels
${common.map(code).join(", ")}.
Histograms of requests have all of their labels only with \`--request-histograms=full\`.
`;

function row({ name, type, labels: own, help }: DeclaredMetric): readonly string[] {
  const has = common.every((label) => own.includes(label));
  const rest = has ? own.filter((label) => !common.includes(label)) : own;
  const cell = [...(has ? ["(controller)"] : []), ...rest.map(code)].join(", ");
  return [code(name), type, unitOf(name), cell, help.endsWith(".") ? help : `${help}.`];
}

/** Endings of names with their units; the first match counts. */
const units: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/(time|timestamp|start_time)_seconds$/, "seconds since 1970"],
  [/_duration$|seconds(_total)?$|_(p50|p90|p99|min|max|mean|stddev)$/, "seconds"],
  [/bytes(_total)?$|bytes_sent$|_(request|response|config)_size$|(request|response)_size$/, "bytes"],
  [/_(info|hash)$|_successful$|_check$|_status$|orphan_ingress$/, ""],
];

function unitOf(name: string): string {
  return units.find(([ending]) => ending.test(name))?.[1] ?? "count";
}
