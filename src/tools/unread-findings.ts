/**
 * Finds mistakes in annotations and keys of objects that have a mistake elsewhere and so are not
 * read. Without this, an author who corrects one mistake would only then see the next.
 */
import { keyOfName, objectKey } from "../core/model/objects.ts";
import type { Problem } from "../core/model/problem.ts";
import { type ObjectChange, type Snapshot, withObjects } from "../core/model/snapshot.ts";
import { repaired } from "../edges/folder/mistakes/repaired.ts";
import type { Files } from "./folder.ts";

/**
 * Returns the Snapshot with the readable parts of these objects; the same Snapshot if there are
 * none.
 */
export function withUnread(files: Files, snapshot: Snapshot): { readonly whole: Snapshot; readonly unread: Unread } {
  const changes = [...files.values()].flatMap(({ objects }) =>
    objects.flatMap(({ kind, key, object, unread }): ObjectChange[] => {
      if (object !== undefined || (kind !== "Ingress" && kind !== "ConfigMap")) return [];
      const left = unread && repaired(unread, kind);
      return left === undefined ? [] : [{ kind, key, object: left }];
    }),
  );
  const whole = changes.length === 0 ? snapshot : withObjects(snapshot, changes);
  return { whole, unread: new Map(changes.map((one) => [objectKey(one.kind, one.key), one.object!])) };
}

/** Keyed by `objectKey`. */
export type Unread = ReadonlyMap<string, NonNullable<ObjectChange["object"]>>;

/**
 * Whether the Problem is one of an unread object and only of the text of a value, so that it does
 * not depend on the parts that could not be read.
 */
export function isOfUnread(problem: Problem, unread: Unread): boolean {
  const { kind, object } = problem;
  if (!unread.has(objectKey(object.kind, keyOfName(object)))) return false;
  return ofTexts.has(kind) || (kind === "annotation-useless" && isWholeName(problem.key));
}

/** Whether the annotation has a prefix that is not read; a patch changes nothing about that. */
const isWholeName = (key: string): boolean => key.includes("/");

const ofTexts: ReadonlySet<Problem["kind"]> = new Set([
  "annotation-unreadable",
  "annotation-unknown",
  "annotation-removed",
  "setting-unreadable",
  "setting-unknown",
]);
