/**
 * `sluice routes --shadow`: reports, from the counts of a running controller, how routes in shadow
 * would answer differently.
 */
import { differenceMeanings } from "../ask/matcher/shadow/meanings.ts";
import type { ShadowReport } from "../ask/matcher/shadow/report.ts";
import { visible } from "../base/visible.ts";
import { counted } from "../tools/words.ts";

export function shadowText(reports: readonly ShadowReport[]): string {
  if (reports.length === 0) return "no request has met a route in shadow\n";
  const lines = reports.map((report) => {
    const { host, shadow, now, listener, requests, differences, example } = report;
    const rule = shadow.rule === "" ? "" : `, rule ${shadow.rule}`;
    return [
      `${host === "_" ? "*" : host}${shadow.path}: ${counted(requests, "request")} would go from ${partyWords(now)} to route ${shadow.name}${rule} at ${listener}`,
      ...differences.map((one) => `  ${one}: ${differenceMeanings[one]}`),
      `  for example ${example}`,
    ]
      .map(visible)
      .join("\n");
  });
  return `${lines.join("\n")}\n`;
}

function partyWords({ kind, name, path }: ShadowReport["now"]): string {
  if (kind === "nothing") return "no path of anybody";
  return `${kind === "ingress" ? "Ingress" : "route"} ${name} (${path})`;
}
