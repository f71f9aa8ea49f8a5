/**
 * Reports Ingresses without a backend, under the name of ingress-nginx: their Service is missing or
 * has no endpoints. Only such an Ingress has a series; ingress-nginx also keeps a series with 0 for
 * each Ingress that had this state before.
 */
import type { Problem } from "../../core/model/problem.ts";
import type { Served } from "./certificate-metrics.ts";
import type { DeclaredMetric } from "./declared.ts";
import { type Label, labelsText } from "./exposition.ts";

const name = "nginx_ingress_controller_orphan_ingress";
const help = "A constant 1 for an Ingress whose Service is missing (no-service) or has no endpoints (no-endpoint).";

/** Without the labels of every metric of ingress-nginx. */
export const orphanDeclaration: DeclaredMetric = {
  name,
  type: "gauge",
  labels: ["namespace", "ingress", "type"],
  help,
};

/**
 * Returns the metric as text. `problems` come from the last turn; `labels` are those of every
 * metric of ingress-nginx.
 */
export function orphanExposition(
  { servers, upstreams }: Served,
  problems: Iterable<readonly Problem[]>,
  labels: readonly Label[],
): string {
  const found = new Map<string, readonly Label[]>();
  const add = (namespace: string, ingress: string, type: string): void => {
    const own: Label[] = [
      ["namespace", namespace],
      ["ingress", ingress],
      ["type", type],
    ];
    found.set(`${namespace}/${ingress} ${type}`, own);
  };
  const missing = new Set<string>();
  for (const problem of [...problems].flat()) {
    if (problem.kind !== "service-missing") continue;
    missing.add(problem.service);
    add(problem.object.namespace ?? "", problem.object.name, "no-service");
  }
  for (const { listener, locations } of servers.values()) {
    if (listener !== undefined) continue;
    for (const { owner, backends } of locations) {
      if (owner === undefined) continue;
      for (const { key, service, upstream } of backends) {
        if (service === "" || missing.has(key)) continue;
        if (upstreams.get(upstream)?.endpoints.length === 0) add(owner.namespace, owner.name, "no-endpoint");
      }
    }
  }
  const lines = [...found.values()].map((own) => `${name}{${labelsText([...labels, ...own])}} 1\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}
