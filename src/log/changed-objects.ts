/** Describes the objects that differ between two Snapshots, for people. */
import { writtenName } from "../model/objects.ts";
import { emptySnapshot, type Snapshot, tableOf, type WatchedKind } from "../model/snapshot.ts";
import { Table } from "../model/table.ts";

export interface ChangedObjects {
  /** At most five texts like `Ingress shop/web changed`, each with the result of `parts`. */
  readonly objects: readonly string[];
  /** The number of further objects. */
  readonly more: number;
}

const listed = 5;

/** `parts` returns the changed parts of an object, such as ` (spec.rules)`, or nothing. */
export function changedObjects(
  before: Snapshot | undefined,
  after: Snapshot,
  parts: (was: object, is: object) => string = () => "",
): ChangedObjects {
  const changes = (Object.keys(tableOf) as WatchedKind[]).flatMap((kind) => {
    const [old, now] = [before ?? emptySnapshot, after].map((one) => one[tableOf[kind]] as Table<object> | undefined);
    const found = (now ?? Table.empty<object>()).changesSince(old ?? Table.empty());
    return found.map((change) => ({ kind, ...change }));
  });
  const objects = changes.slice(0, listed).map(({ kind, key, before: was, after: is }) => {
    const name = writtenName(kind, key);
    if (was === undefined) return `${name} added`;
    return is === undefined ? `${name} removed` : `${name} changed${parts(was, is)}`;
  });
  return { objects, more: changes.length - objects.length };
}

/**
 * Returns `Ingress shop/web changed, Service shop/web added and 3 more`, or an empty text if
 * nothing differs.
 */
export function changeWords({ objects, more }: ChangedObjects): string {
  return objects.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
