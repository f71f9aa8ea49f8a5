/** Which objects differ between two Snapshots, for people. */
import { emptySnapshot, type Snapshot, tableOf, type WatchedKind } from "../model/snapshot.ts";
import { Table } from "../model/table.ts";

const listed = 5;

/** `Ingress shop/web changed, Service shop/web added and 3 more`; empty where nothing differs. */
export function changedObjects(before: Snapshot | undefined, after: Snapshot): string {
  const changes = (Object.keys(tableOf) as WatchedKind[]).flatMap((kind) => {
    const [old, now] = [before ?? emptySnapshot, after].map((one) => one[tableOf[kind]] as Table<object> | undefined);
    return (now ?? Table.empty<object>()).changesSince(old ?? Table.empty()).map(({ key, before: was, after: is }) => {
      return `${kind} ${key} ${was === undefined ? "added" : is === undefined ? "removed" : "changed"}`;
    });
  });
  const more = changes.length - listed;
  return changes.slice(0, listed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
