/**
 * Writes one Warning on the object when a Problem appears, and none when it disappears, because
 * Events expire by themselves. A Problem that stays causes no further Event, however many turns
 * report it.
 */

import { named, type Problem, sentence } from "../../core/model/problem.ts";
import type { Table } from "../../core/model/table.ts";

export interface ProblemEvent {
  readonly object: Problem["object"];
  readonly reason: string;
  readonly message: string;
}

/** Returns Events for the Problems in `now` that are new. */
export function problemEvents(
  before: Table<readonly Problem[]>,
  now: Table<readonly Problem[]>,
): readonly ProblemEvent[] {
  const changes = now.changesSince(before);
  const reported = new Set(changes.flatMap((change) => change.before ?? []).map(textOf));
  const fresh = new Map(changes.flatMap((change) => change.after ?? []).map((problem) => [textOf(problem), problem]));
  return [...fresh].flatMap(([text, problem]) => (reported.has(text) ? [] : [eventOf(problem)]));
}

const textOf = (problem: Problem) => `${named(problem.object)} ${sentence(problem)}`;

const eventOf = (problem: Problem): ProblemEvent => ({
  object: problem.object,
  reason: reasonOf(problem),
  message: sentence(problem),
});

/**
 * Returns the reason of an Event. An annotation that closes its paths has ingress-nginx's name for
 * it (process contract D), and every other kind of Problem has its own.
 */
export function reasonOf({ kind }: Pick<Problem, "kind">): string {
  if (kind === "annotation-unreadable") return "AnnotationParsingFailed";
  return kind.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
