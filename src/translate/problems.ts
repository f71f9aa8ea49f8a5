/** The Problems of all there is, by whom they were found for: what is looked at again has its own replaced, and nobody else's. */
import { Table } from "../model/table.ts";
import type { Problem } from "../problem.ts";

export class Problems {
  #byOwner = Table.empty<readonly Problem[]>();

  get byOwner(): Table<readonly Problem[]> {
    return this.#byOwner;
  }

  /** `problems` take the place of those told of `owner` before. */
  tell(owner: string, problems: readonly Problem[]): void {
    if (problems.length === 0 && !this.#byOwner.has(owner)) return;
    this.#byOwner = this.#byOwner.with([[owner, problems.length === 0 ? undefined : problems]]);
  }
}
