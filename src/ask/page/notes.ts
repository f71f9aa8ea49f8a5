/**
 * Notes for the page that are kept from the start of the controller: the time when each Problem
 * appeared, and the statuses of Gateways. All other code of the page is loaded with the first
 * request for it.
 */
import type { DesiredStatus } from "../../core/model/gateway/status.ts";
import type { Problem } from "../../core/model/problem.ts";
import { Table } from "../../core/model/table.ts";
import type { Listener } from "../../core/sync/ports.ts";
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

  /** Sets all present Problems of `source`. */
  renewProblems(source: string, all: Table<readonly Problem[]>): void {
    this.problems.renew(source, all);
    this.#notify();
  }

  /** Listens to the turns of the sync. Problems arrive through `renewProblems`. */
  readonly listener: Listener = {
    problems: () => {},
    synced: () => this.#notify(),
    statuses: (wanted) => {
      this.#statuses = wanted;
      this.#notify();
    },
  };

  /** Calls `listener` after every change. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reports a change elsewhere in something that the page shows. */
  touched(): void {
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
