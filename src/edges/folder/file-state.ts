/**
 * The Library's state of one file: the last good form of each object in it, and the mistakes in the
 * present text. A file that breaks keeps its objects. An object that breaks keeps its last good
 * form, and the other objects of its file are not affected.
 */
import { isDeepStrictEqual } from "node:util";
import type { Unread } from "../../core/model/gist.ts";
import { type KubernetesObject, objectKey } from "../../core/model/objects.ts";
import type { WatchedKind } from "../../core/model/snapshot.ts";
import type { Fault, Manifest, ManifestObject } from "./manifest.ts";
import type { Place } from "./place.ts";

export interface FileState {
  readonly faults: readonly Fault[];
  /** Keyed by `idOf`. */
  readonly objects: ReadonlyMap<string, Held>;
  /** Objects whose present text cannot be used, so that a former form of them stays. */
  readonly kept: ReadonlySet<string>;
  /** Objects that this file defines a second time. */
  readonly doubles: ReadonlyMap<string, Double>;
  /** Objects that the present text has and that cannot be read. */
  readonly unread: readonly Unread[];
}

/** A further definition of an object. */
export interface Double {
  readonly place: Place;
  /** Whether it is the same as the one that counts. */
  readonly isEqual: boolean;
}

export interface Held {
  readonly kind: WatchedKind;
  readonly key: string;
  readonly object: KubernetesObject;
  /** Finds the place of a field of the object in the file. */
  readonly placeOf: ManifestObject["placeOf"];
}

export const idOf = ({ kind, key }: { readonly kind: string; readonly key: string }): string => objectKey(kind, key);

export function stateOf(manifest: Manifest, before: FileState | undefined): FileState {
  const objects = new Map<string, Held>();
  const doubles = new Map<string, Double>();
  const seen = new Set<string>();
  const kept = new Set<string>();
  for (const one of manifest.objects) {
    const id = idOf(one);
    const first = objects.get(id);
    if (first !== undefined)
      doubles.set(id, { place: one.placeOf([]), isEqual: isDeepStrictEqual(first.object, one.object) });
    const held = first !== undefined ? undefined : heldOf(one, before?.objects.get(id));
    if (held !== undefined) objects.set(id, held);
    if (held !== undefined && one.object === undefined) kept.add(id);
    seen.add(id);
  }
  if (!manifest.complete)
    for (const [id, held] of before?.objects ?? []) {
      if (seen.has(id)) continue;
      objects.set(id, held);
      kept.add(id);
    }
  return { faults: manifest.faults, objects, kept, doubles, unread: unreadOf(manifest) };
}

export function unreadOf({ objects }: Pick<Manifest, "objects">): readonly Unread[] {
  return objects.flatMap(({ kind, key, gist }) => (gist === undefined ? [] : [{ kind, key, ...gist }]));
}

/**
 * Returns the object to use: the same value if the content is the same, or the last good form
 * if the present one would be refused.
 */
function heldOf(one: ManifestObject, before: Held | undefined): Held | undefined {
  const { kind, key, placeOf, object } = one;
  if (object === undefined) return before;
  return { kind, key, placeOf, object: isDeepStrictEqual(before?.object, object) ? before!.object : object };
}
