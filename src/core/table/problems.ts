/**
 * Keeps all Problems, by the object that was read when they were found. When an object is read
 * again, only its own Problems are replaced.
 */

import type { Problem } from "../model/problem.ts";
import { Table } from "../model/table.ts";

export class Problems {
  #byOwner = Table.empty<readonly Problem[]>();

  get byOwner(): Table<readonly Problem[]> {
    return this.#byOwner;
  }

  /** Replaces the Problems of `owner`. */
  replace(owner: string, problems: readonly Problem[]): void {
    if (problems.length === 0 && !this.#byOwner.has(owner)) return;
    this.#byOwner = this.#byOwner.with([[owner, problems.length === 0 ? undefined : problems]]);
  }
}
