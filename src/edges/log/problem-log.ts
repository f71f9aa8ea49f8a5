/**
 * Logs each Problem once when it appears and once when it disappears, however many turns report it.
 */

import { fullSentence, named, type Problem, sentence } from "../../core/model/problem.ts";
import { Table } from "../../core/model/table.ts";
import type { Log } from "./log.ts";
import { mended } from "./mended.ts";

/** Returns a place such as `web.yaml:12`, if the object of a Problem comes from a file. */
export type PlaceOf = (problem: Problem) => string | undefined;

export class ProblemLog {
  readonly #log: Log;
  readonly #placeOf: PlaceOf;
  #last: Table<readonly Problem[]> = Table.empty();

  constructor(log: Log, placeOf: PlaceOf = () => undefined) {
    this.#log = log;
    this.#placeOf = placeOf;
  }

  /** Logs what has changed since the last call. `all` are all present Problems. */
  renew(all: Table<readonly Problem[]>): void {
    const changes = all.changesSince(this.#last);
    this.#last = all;
    const before = bySentence(changes.flatMap((change) => change.before ?? []));
    const after = bySentence(changes.flatMap((change) => change.after ?? []));
    const fresh = [...after].filter(([text]) => !before.has(text));
    for (const [at, [, problem]] of fresh.entries()) {
      const place = at < mostPlaces ? this.#placeOf(problem) : undefined;
      this.#log.warn({ ...(place === undefined ? {} : { at: place }), ...fieldsOf(problem) }, "problem");
    }
    const gone = [...before].filter(([text]) => !after.has(text));
    if (gone.length === 0) return;
    const left = Map.groupBy([...all.values()].flat(), ({ object }) => named(object));
    for (const [, problem] of gone) {
      const fields = fieldsOf(problem);
      const others = left.get(fields.object) ?? [];
      const now =
        others.some(({ kind }) => kind === "nginx-refused") && problem.kind !== "nginx-refused"
          ? "nginx refused this version, so nothing else of it is judged until it changes"
          : `${mended(problem)}; ${remaining(others.length)}`;
      this.#log.info({ ...fields, now }, "problem gone");
    }
  }
}

/**
 * Finding a line number costs more than the rest of a log line, so only the first of many lines get
 * one.
 */
const mostPlaces = 200;

function remaining(others: number): string {
  if (others === 0) return "nothing else is wrong with it";
  return others === 1 ? "one other problem of it remains" : `${others} other problems of it remain`;
}

const fieldsOf = (problem: Problem) => ({
  object: named(problem.object),
  kind: problem.kind,
  problem: sentence(problem),
});

function bySentence(problems: readonly Problem[]): Map<string, Problem> {
  return new Map(problems.map((problem) => [fullSentence(problem), problem]));
}
