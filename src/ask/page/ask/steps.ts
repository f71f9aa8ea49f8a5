/** Makes the steps that requests for Ingresses and for Gateways have in common. */

import { percent } from "../../../core/kinds/measures.ts";
import { defaultUpstream } from "../../../core/model/configuration.ts";
import { named, unplaced } from "../../../core/model/problem.ts";
import type { End, Guard } from "../../matcher/decision.ts";
import type { AskedBackend, AskedStep } from "../api/ask.ts";
import { withoutCredentials } from "../shown.ts";
import type { Finding } from "./world.ts";

export const step = (what: string, says: string): AskedStep => ({ what, says });

export const changeSteps = (changes: readonly string[]): readonly AskedStep[] =>
  changes.map((change) => step("to change", change));

/**
 * Returns the guard without the secret parts of an auth service's URL. A guard that stops a request
 * may have the whole URL of a redirect, because each client gets that.
 */
export function openGuard(guard: Guard): Guard {
  return guard.outcome === "stops" ? guard : { ...guard, says: withoutCredentials(guard.says) };
}

export function guardStep(guard: Guard): AskedStep {
  const { what, says, outcome, status } = openGuard(guard);
  return step("guard", `${what}: ${says}${verdict(outcome, status)}`);
}

function verdict(outcome: string, status: number | undefined): string {
  if (outcome === "passes") return "";
  const code = status === undefined ? "" : ` with ${status}`;
  return outcome === "stops" ? `; stops${code}` : `; may stop${code}`;
}

export function problemStep({ severity, at, problem }: Finding): AskedStep {
  const place = at === undefined ? "" : `${at.file}:${at.line}:${at.column}: `;
  return step("problem", `${place}${severity}: ${named(problem.object)}: ${withoutCredentials(unplaced(problem))}`);
}

/** Returns, for example, `192.0.2.1:80, 192.0.2.2:80 and 3 more`. */
export function someOf(endpoints: readonly string[], count = endpoints.length): string {
  const shown = endpoints.slice(0, 5);
  return `${shown.join(", ")}${count > shown.length ? ` and ${count - shown.length} more` : ""}`;
}

/**
 * Describes the end of a request. `backends` are those that may get it: canaries and weights decide
 * between several.
 */
export function endOf(end: End, backends: readonly AskedBackend[] = []): string {
  if (end.kind === "unclear") return `only nginx can say: ${end.why}`;
  if (end.kind === "answer")
    return `${end.status}${end.location === undefined ? "" : ` to ${end.location}`}: ${end.why}`;
  const { upstream, rewritten, standsIn } = end;
  const path = rewritten === undefined ? "" : `, where the path is ${rewritten}`;
  const possible = backends.filter(({ share }) => share > 0);
  const from = possible.length === 0 ? `that of ${backendName(upstream.id)}` : possible.map(shareWords).join(", ");
  return `${from}${path}${standsIn ? ", which stands in because the Service has no endpoint" : ""}`;
}

/** Returns, for example, `70 %: that of Service shop/web, port http`. */
function shareWords({ service, port, share, endpoints, unusable }: AskedBackend): string {
  const name = service === "" ? "the default backend" : `Service ${service}, port ${port}`;
  const answer = unusable !== undefined ? "500" : endpoints.length === 0 ? "503" : `that of ${name}`;
  return share >= 1 ? answer : `${percent(share)}: ${answer}`;
}

/** Returns, for example, `Service shop/web, port http`. */
function backendName(id: string): string {
  if (id === defaultUpstream) return "the default backend";
  const [, service, port] = /^([^/]+\/[^/]+)\/([^/ ]+)(?: for .*)?$/.exec(id) ?? [];
  return service === undefined ? id : `Service ${service}, port ${port}`;
}
