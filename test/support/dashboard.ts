/**
 * Returns the queries of docs/dashboards/sluice.json, with values in place of Grafana's variables.
 */
import { readFileSync } from "node:fs";

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

export function dashboardQueries(): readonly string[] {
  const file = new URL("../../docs/dashboards/sluice.json", import.meta.url);
  const { panels, annotations } = JSON.parse(readFileSync(file, "utf8")) as Dashboard;
  const written = [...panels.flatMap(({ targets = [] }) => targets), ...annotations.list].map(({ expr }) => expr);
  return written.map((expr) => expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$(class|pod|ingress)\b/g, ".*"));
}

/** Returns the names of the metrics in a query. */
export function namesIn(query: string): readonly string[] {
  return query.match(/\b(?:nginx_ingress_controller|sluice|process)_\w+/g) ?? [];
}
