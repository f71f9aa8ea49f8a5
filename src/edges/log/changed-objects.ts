/** Describes the objects that differ between two Snapshots, for people. */
import { writtenName } from "../../core/model/objects.ts";
import { emptySnapshot, type Snapshot, tableOf, type WatchedKind } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import { changedParts } from "./changed-parts.ts";

export interface ChangedObjects {
  /** At most five texts like `Ingress shop/web changed (annotation enable-cors)`. */
  readonly objects: readonly string[];
  /** The number of further objects. */
  readonly more: number;
}

const listed = 5;

export function changedObjects(before: Snapshot | undefined, after: Snapshot): ChangedObjects {
  const objects: string[] = [];
  let more = 0;
  for (const kind of Object.keys(tableOf) as WatchedKind[]) {
    const [old, now] = [before ?? emptySnapshot, after].map((one) => one[tableOf[kind]] as Table<object> | undefined);
    // Every cluster has Namespaces. If there are none, they are not followed, because no kind that
    // refers to them is served.
    if (kind === "Namespace" && (old?.size === 0 || now?.size === 0)) continue;
    const changes = (now ?? Table.empty<object>()).changesSince(old ?? Table.empty());
    const some = changes.slice(0, listed - objects.length);
    more += changes.length - some.length;
    for (const { key, before: was, after: is } of some) {
      const name = writtenName(kind, key);
      if (was === undefined) objects.push(`${name} added`);
      else objects.push(is === undefined ? `${name} removed` : `${name} changed${changedParts(was, is)}`);
    }
  }
  return { objects, more };
}

/**
 * Returns `Ingress shop/web changed, Service shop/web added and 3 more`, or an empty text if
 * nothing differs.
 */
export function changeWords({ objects, more }: ChangedObjects): string {
  return objects.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
