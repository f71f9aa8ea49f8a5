/**
 * Collects the changes of records in one turn. Each rebuilt part reports its old records first and
 * then its new ones, and parts report in any order. A name may move from one Server to another in
 * one turn, so an added record overrides a removed one.
 */
import { guarded } from "../../../base/guarded.ts";
import type { RecordKey } from "../../model/records.ts";
import { Table } from "../../model/table.ts";
import type { ChangedRecord } from "../rendering.ts";

const gone: ChangedRecord = { value: undefined, shapes: [] };
const none: readonly string[] = [];
const nothing = (): undefined => undefined;

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

  /**
   * Adds the changed records of a table that has one record for each entry. An entry on which
   * Sluice fails has none.
   */
  putTable<T>(
    keyOf: (id: string) => RecordKey,
    [last = Table.empty(), next]: readonly [last: Table<T> | undefined, next: Table<T>],
    recordOf: (value: T) => string,
  ): void {
    for (const { key, after } of next.changesSince(last)) {
      this.putOrRemove(keyOf(key), after && guarded(() => recordOf(after), nothing));
    }
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
