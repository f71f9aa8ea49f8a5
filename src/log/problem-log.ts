/** Says each Problem once when it comes and once when it goes, however many turns see it. */
import { Table } from "../model/table.ts";
import { named, type Problem, sentence } from "../problem.ts";
import type { Log } from "./log.ts";

export class ProblemLog {
  readonly #log: Log;
  #last: Table<readonly Problem[]> = Table.empty();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `all` are the Problems that there are now. */
  renew(all: Table<readonly Problem[]>): void {
    const changes = all.changesSince(this.#last);
    this.#last = all;
    const before = sentences(changes.flatMap((change) => change.before ?? []));
    const after = sentences(changes.flatMap((change) => change.after ?? []));
    for (const [said, fields] of after) if (!before.has(said)) this.#log.warn(fields, "problem");
    for (const [said, fields] of before) if (!after.has(said)) this.#log.info(fields, "problem gone");
  }
}

interface ProblemFields {
  readonly object: string;
  readonly kind: string;
  readonly problem: string;
}

function sentences(problems: readonly Problem[]): Map<string, ProblemFields> {
  const fields = problems.map((problem) => ({
    object: named(problem.object),
    kind: problem.kind,
    problem: sentence(problem),
  }));
  return new Map(fields.map((one) => [`${one.object}: ${one.problem}`, one]));
}
