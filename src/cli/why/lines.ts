/** Lines that requests for Ingresses and for Gateways have in common. */
import type { End, Guard } from "../../decide/decision.ts";
import { defaultUpstream } from "../../model/configuration.ts";

export const line = (label: string, text: string): string => `  ${`${label}:`.padEnd(13)}${text}\n`;

export function guardLine({ what, says, outcome, status }: Guard): string {
  return line("guard", `${what}: ${says}${verdict(outcome, status)}`);
}

function verdict(outcome: string, status: number | undefined): string {
  if (outcome === "passes") return "";
  const code = status === undefined ? "" : ` with ${status}`;
  return outcome === "stops" ? `; stops${code}` : `; may stop${code}`;
}

export function endOf(end: End): string {
  if (end.kind === "unclear") return `only nginx can say: ${end.why}`;
  if (end.kind === "answer")
    return `${end.status}${end.location === undefined ? "" : ` to ${end.location}`}: ${end.why}`;
  const { upstream, rewritten, standsIn } = end;
  const path = rewritten === undefined ? "" : `, where the path is ${rewritten}`;
  return `that of ${backendName(upstream.id)}${path}${standsIn ? ", which stands in because the Service has no endpoint" : ""}`;
}

/** `Service shop/web, port http`. */
function backendName(id: string): string {
  if (id === defaultUpstream) return "the default backend";
  const [, service, port] = /^([^/]+\/[^/]+)\/([^/ ]+)(?: for .*)?$/.exec(id) ?? [];
  return service === undefined ? id : `Service ${service}, port ${port}`;
}
