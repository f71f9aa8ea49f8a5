/**
 * `sluice routes --shadow`: reports how routes in shadow would answer differently, by the counts of
 * a running controller.
 */
import type { ShadowReport } from "../decide/shadow/report.ts";
import { visible } from "../visible.ts";
import { counted } from "./tools/words.ts";

const meanings: Readonly<Record<ShadowReport["differences"][number], string>> = {
  backend: "other Services get them",
  odds: "Services get other shares of them",
  guards: "something else guards them",
  filters: "headers, CORS, sessions, copies or the host are treated otherwise",
  path: "backends see another path",
  redirect: "they are redirected elsewhere, or no more",
  answer: "they get another answer",
  unclear: "only nginx can say",
  same: "nothing is otherwise",
};

export function shadowText(reports: readonly ShadowReport[]): string {
  if (reports.length === 0) return "no request has met a route in shadow\n";
  const lines = reports.map((report) => {
    const { host, shadow, now, listener, requests, differences, example } = report;
    const rule = shadow.rule === "" ? "" : `, rule ${shadow.rule}`;
    return [
      `${host === "_" ? "*" : host}${shadow.path}: ${counted(requests, "request")} would go from ${partyWords(now)} to route ${shadow.name}${rule} at ${listener}`,
      ...differences.map((one) => `  ${one}: ${meanings[one]}`),
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
