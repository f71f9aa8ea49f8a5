/**
 * Keeps the time at which each Problem appeared. It begins at the start of the controller, because
 * these times cannot be found out later.
 */

import { fullSentence, type Problem } from "../../core/model/problem.ts";
import { Table } from "../../core/model/table.ts";

export interface TimedProblem {
  readonly problem: Problem;
  readonly since: Date;
}

export class ProblemTimes {
  readonly #now: () => number;
  readonly #bySource = new Map<string, Table<readonly Problem[]>>();
  readonly #since = new Map<string, number>();
  #revision = 0;

  /** `now` in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Sets all present Problems of `source`. */
  renew(source: string, all: Table<readonly Problem[]>): void {
    const changes = all.changesSince(this.#bySource.get(source) ?? Table.empty());
    this.#bySource.set(source, all);
    if (changes.length > 0) this.#revision++;
    const after = new Set(changes.flatMap((change) => change.after ?? []).map((one) => nameOf(source, one)));
    for (const { before = [] } of changes)
      for (const one of before) if (!after.has(nameOf(source, one))) this.#since.delete(nameOf(source, one));
    for (const name of after) if (!this.#since.has(name)) this.#since.set(name, this.#now());
  }

  get all(): readonly TimedProblem[] {
    return [...this.#bySource].flatMap(([source, table]) =>
      [...table.values()].flat().map((problem) => ({
        problem,
        since: new Date(this.#since.get(nameOf(source, problem)) ?? this.#now()),
      })),
    );
  }

  /** A number that is different after each change. */
  get revision(): number {
    return this.#revision;
  }
}

function nameOf(source: string, problem: Problem): string {
  return `${source} ${fullSentence(problem)}`;
}
