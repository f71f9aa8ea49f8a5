/**
 * The view Problems: the present Problems with the time of each, objects that nginx refused, and
 * paths that answer 503, by cause.
 */

import { visible } from "../../../base/visible.ts";
import { keyOfName } from "../../../core/model/objects.ts";
import { type ObjectName, type Problem, sentence } from "../../../core/model/problem.ts";
import { problemKinds } from "../../../core/model/problem-kinds.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import type { ProblemRow, QuarantineRow, UnansweredRow } from "../api/problems.ts";
import { Listing } from "../lists/listing.ts";
import { withoutCredentials } from "../shown.ts";
import type { PageSource } from "../source.ts";
import { meanwhile } from "./meanwhile.ts";
import type { PlainRoute } from "./routes.ts";

const mostUnanswered = 50;

export function problemRows({ notes }: PageSource): readonly ProblemRow[] {
  return notes.problems.all.map(({ problem, since }) => ({
    object: { kind: visible(problem.object.kind), name: nameOf(problem.object) },
    kind: problem.kind,
    meaning: problemKinds[problem.kind][1],
    sentence: withoutCredentials(sentence(problem)),
    since: since.toISOString(),
    meanwhile: meanwhile(problem as Problem),
  }));
}

export function problemListing(rows: readonly ProblemRow[]): Listing<ProblemRow> {
  return new Listing(rows, {
    sorts: {
      object: ({ object }) => `${object.name} ${object.kind}`,
      kind: ({ kind }) => kind,
      since: ({ since }) => since,
    },
    texts: ({ object, kind, sentence: text, meanwhile: served }) => [
      `${object.kind} ${object.name}`,
      kind,
      text,
      served,
    ],
  });
}

export function quarantineRows({ refusals }: PageSource): readonly QuarantineRow[] {
  const { objects, settings, ports } = refusals();
  return [
    ...[...objects].map(([key, { why }]) => ({ object: visible(key), said: withoutCredentials(visible(why)) })),
    ...[...settings].map(([key, { why }]) => ({
      object: visible(`setting ${key}`),
      said: withoutCredentials(visible(why)),
    })),
    ...[...ports].map(([key, { why }]) => ({ object: visible(`port ${key}`), said: withoutCredentials(visible(why)) })),
  ];
}

/** Returns the rows, the most frequent causes first. */
export function unansweredRows(
  routes: readonly PlainRoute[],
  { services }: Pick<Snapshot, "services">,
): readonly UnansweredRow[] {
  const silent = routes.filter(({ state }) => state === "closed" || state === "no endpoints");
  const isThere = (service: string) => services.has(service);
  const causes = [...Map.groupBy(silent, (route) => causeOf(route, isThere))].map(([cause, some]) => {
    const { host, path } = some[0]!;
    return { cause, paths: some.length, host, path };
  });
  return causes.sort((a, b) => b.paths - a.paths || (a.cause < b.cause ? -1 : 1)).slice(0, mostUnanswered);
}

function causeOf({ state, why, backend, notReady }: PlainRoute, isThere: (service: string) => boolean): string {
  if (state === "closed") return why;
  const services = backend.split(", ").map((one) => one.replace(/:[^:]*$/, ""));
  const missing = services.find((service) => !isThere(service));
  if (missing !== undefined) return `Service ${missing} not found`;
  return `no endpoint of ${backend} is ready${notReady === 0 ? "" : `, and ${notReady === 1 ? "1 is" : `${notReady} are`} not`}`;
}

function nameOf(object: ObjectName): string {
  return visible(keyOfName(object));
}
