/**
 * Notes for the page that are kept from the start of the controller: the time when each Problem
 * appeared, and the statuses of Gateways. All other code of the page is loaded with the first
 * request for it.
 */
import type { DesiredStatus } from "../model/gateway/status.ts";
import { Table } from "../model/table.ts";
import type { Problem } from "../problem.ts";
import type { Listener } from "../sync/ports.ts";
import { ProblemTimes } from "./problem-times.ts";

export class PageNotes {
  readonly problems: ProblemTimes;
  #statuses: Table<DesiredStatus> = Table.empty();
  readonly #listeners = new Set<() => void>();

  /** `now` in milliseconds since 1970. */
  constructor(now: () => number) {
    this.problems = new ProblemTimes(now);
  }

  get statuses(): Table<DesiredStatus> {
    return this.#statuses;
  }

  /** Takes all Problems that `source` sees now. */
  renewProblems(source: string, all: Table<readonly Problem[]>): void {
    this.problems.renew(source, all);
    this.#tell();
  }

  /** For the turns of the sync; Problems come by `renewProblems`. */
  readonly listener: Listener = {
    problems: () => {},
    synced: () => this.#tell(),
    statuses: (wanted) => {
      this.#statuses = wanted;
      this.#tell();
    },
  };

  /** Calls `listener` after every change. Returns how to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Something that the page shows has changed elsewhere. */
  touched(): void {
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
