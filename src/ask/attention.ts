/**
 * Answers whether anything is wrong: what needs attention, the worst first, for the Overview of the
 * page, `sluice status` and `/healthz?verbose`. A controller of ten thousand hosts needs some
 * milliseconds for it, and computes it on request.
 */
import { catchAll, type Location, type Server } from "../core/model/configuration.ts";
import { addressWithPort } from "../core/model/endpoint.ts";
import { fullSentence, type Problem } from "../core/model/problem.ts";
import { severityOf } from "../core/model/problem-kinds.ts";
import type { FeatureValues } from "../core/policies/registry.ts";
import type { Quarantine } from "../core/table/quarantine.ts";
import type { Failures } from "../edges/failures.ts";
import type { Attention } from "./page/api/status.ts";
import { shown, withoutCredentials } from "./page/shown.ts";
import type { Served } from "./page/source.ts";

export interface AttentionParts {
  readonly isRunning: boolean;
  /** The reason why nginx does not serve the last change; undefined if it does. */
  readonly behind: string | undefined;
  readonly refusals: Quarantine;
  readonly served: Served | undefined;
  readonly problems: readonly Problem[];
  readonly failures: Failures;
}

/** The most characters of an example. */
const longest = 300;

export function attentionOf(parts: AttentionParts): readonly Attention[] {
  const { isRunning, behind, refusals, served, problems, failures } = parts;
  const aside = [...refusals.objects.keys(), ...refusals.settings.keys(), ...refusals.ports.keys()];
  const { closed, failing, empty } = silentRoutes(served, failures);
  const {
    certificates = [],
    error = [],
    warning = [],
  } = Object.groupBy(problems, (one) =>
    /^(certificate|secret)-/.test(one.kind) ? "certificates" : severityOf(one) === "error" ? "error" : "warning",
  );
  const about = (one: Problem) => withoutCredentials(fullSentence(one));
  return [
    ...(isRunning ? [] : [item("error", "nginx does not run", "")]),
    ...(behind === undefined ? [] : [item("error", `nginx does not serve the last change: ${behind}`, "")]),
    ...some(aside, "is set aside, because nginx refused it", "are set aside, because nginx refused them", "problems"),
    ...some(closed, "route answers 503 or 500", "routes answer 503 or 500", "routes?filter=closed"),
    ...some(failing, "route is failing", "routes are failing", "routes?filter=failing"),
    ...some(empty, "route has no endpoint", "routes have no endpoint", "routes?filter=no+endpoints"),
    ...some(certificates, "certificate or its Secret", "certificates or their Secrets", "certificates", about),
    ...some(error, "mistake in an object", "mistakes in objects", "problems", about),
    ...(warning.length === 0
      ? []
      : [item("warning", `${warning.length} warning${warning.length === 1 ? "" : "s"}`, "problems")]),
  ];
}

const item = (severity: Attention["severity"], says: string, view: string): Attention => ({
  severity,
  says: shown(says, longest * 2),
  view,
});

/** Returns one item, which names the first of `all` in the words of `about`. */
function some<T>(
  all: readonly T[],
  one: string,
  many: string,
  view: string,
  about: (first: T) => string = String,
): readonly Attention[] {
  const [first] = all;
  if (first === undefined) return [];
  const words = all.length === 1 ? `${one}: ` : `${many}, such as `;
  return [item("error", `${all.length} ${words}${shown(about(first), longest)}`, view)];
}

/** Returns the routes of objects that answer an error, by their kind of error: `host/path`. */
function silentRoutes(served: Served | undefined, failures: Failures) {
  const found = { closed: [] as string[], failing: [] as string[], empty: [] as string[] };
  for (const server of served?.servers.values() ?? [])
    for (const location of server.locations) {
      const state = stateOf(server, location, served!, failures);
      if (state !== undefined) found[state].push(`${hostOf(server)}${location.path}`);
    }
  return found;
}

const hostOf = ({ name, listener }: Server<FeatureValues>): string =>
  name === catchAll ? (listener === undefined ? "*" : `${listener} `) : name;

function stateOf(
  server: Server<FeatureValues>,
  { owner, path, closed, backends, canaries, filters, features, standIn }: Location<FeatureValues>,
  { upstreams }: Served,
  failures: Failures,
): "closed" | "failing" | "empty" | undefined {
  if (owner === undefined) return undefined;
  if (closed !== undefined) return "closed";
  if (filters?.redirect !== undefined || features.redirects.elsewhere !== undefined) return undefined;
  if (backends.length > 0 && backends.every(({ unusable }) => unusable !== undefined)) return "closed";
  const asked = [...backends.filter(({ weight }) => weight > 0 || backends.length === 1), ...canaries];
  const endpoints = asked.flatMap(({ upstream }) => upstreams.get(upstream)?.endpoints ?? []);
  const isOwn = backends.some(({ key }) => key !== "") && standIn === undefined;
  if (isOwn && endpoints.length === 0) return "empty";
  if (failures.isQuiet) return undefined;
  const host = server.listener === undefined && server.name === catchAll ? "*" : server.name;
  const route = { host, owner: `${owner.namespace}/${owner.name}`, path };
  return failures.isFailing(route, endpoints.map(addressWithPort)) ? "failing" : undefined;
}
