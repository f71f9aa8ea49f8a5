/**
 * Collects the changes of records in one turn. Each rebuilt part reports its old records first and
 * then its new ones, and parts report in any order. A name may move from one Server to another in
 * one turn, so an added record overrides a removed one.
 */
import type { ChangedRecord } from "../rendering.ts";

const gone: ChangedRecord = { value: undefined, shapes: [] };
const none: readonly string[] = [];

export class RecordChanges {
  readonly #gone = new Set<string>();
  readonly #made = new Map<string, ChangedRecord>();

  remove(key: string): void {
    this.#gone.add(key);
  }

  /** Adds a record. `shapes` are the shapes that the record names, as `slot@name`. */
  put(key: string, value: string, shapes = none): void {
    this.#made.set(key, { value, shapes });
  }

  putOrRemove(key: string, value: string | undefined): void {
    if (value === undefined) this.remove(key);
    else this.put(key, value);
  }

  /** Returns the changes that differ from `records`. */
  since(records: ReadonlyMap<string, string>): Map<string, ChangedRecord> {
    const changes = this.#made;
    for (const key of this.#gone) if (!changes.has(key)) changes.set(key, gone);
    changes.forEach(({ value }, key) => {
      if (records.get(key) === value) changes.delete(key);
    });
    return changes;
  }
}
