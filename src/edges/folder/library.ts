/**
 * All objects of a folder as one Snapshot. A changed file only affects its own objects, and an
 * unchanged object stays the same value. If two files define one object, the file that was seen
 * first has it, and the other gets a Problem.
 */
import { isDeepStrictEqual } from "node:util";
import type { Unread } from "../../core/model/gist.ts";
import {
  type IngressClass,
  type KubernetesObject,
  keyOfName,
  kindAndKey,
  objectKey,
} from "../../core/model/objects.ts";
import type { ObjectName, Problem } from "../../core/model/problem.ts";
import {
  emptySnapshot,
  type ObjectChange,
  type Snapshot,
  tableOf,
  type WatchedKind,
  withObjects,
} from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import { Ages } from "./ages.ts";
import { type Double, type FileState, type Held, idOf, stateOf } from "./file-state.ts";
import type { Fault, Manifest } from "./manifest.ts";
import type { Place } from "./place.ts";

/**
 * Makes Problems of mistakes in files: with file, line, object and field, and what was done about
 * it.
 */
function faultProblem(
  file: string,
  { object, place, field, why, fatal, closes, frame }: Fault,
  state: FileState,
): Problem {
  return {
    kind: "manifest-unusable",
    object: object ?? { kind: "File", name: file },
    at: { file, ...place },
    field,
    why,
    done: fatal ? consequence(object, state) : closes ? closed : "it is ignored",
    fatal,
    ...(frame !== undefined && { frame }),
  };
}

const closed = "it may be a guard, so what it stands on is closed";

function consequence(object: ObjectName | undefined, { objects }: FileState): string {
  if (object === undefined) return objects.size > 0 ? "what it held before stays in force" : "it is ignored";
  return objects.has(objectKey(object.kind, keyOfName(object)))
    ? "its last good version stays in force"
    : "it is not applied";
}

/**
 * Returns the Problem of an object that is defined at two places. `isEqual` says whether both
 * definitions are equal.
 */
function takenProblem(
  file: string,
  { object: { kind, metadata } }: Held,
  { place, isEqual }: Double,
  owner: { readonly file: string; readonly place: Place },
): Problem {
  const { name, namespace } = metadata;
  return {
    kind: "manifest-unusable",
    object: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
    at: { file, ...place },
    field: "",
    why: `${owner.file} defines it already, in line ${owner.place.line}${isEqual ? ", and equally" : ""}`,
    done: "this one is ignored",
    fatal: true,
    ...(isEqual && { isEqual: true as const }),
  };
}

export interface LibraryOptions {
  /** Used while the folder has no IngressClass. */
  readonly assumedClass: IngressClass;
  readonly now: () => Date;
}

export class Library {
  readonly #assumedClasses: Table<IngressClass>;
  readonly #ages: Ages;
  /** In the order in which they were first seen. */
  readonly #files = new Map<string, FileState>();
  /** Files that hold an object, by its id: almost always one. */
  readonly #holders = new Map<string, readonly string[]>();
  #objects: Snapshot = emptySnapshot;
  #snapshot: Snapshot;
  #problems: Table<readonly Problem[]> = Table.empty();

  constructor({ assumedClass, now }: LibraryOptions) {
    this.#assumedClasses = Table.from([[assumedClass.metadata.name, assumedClass]]);
    this.#ages = new Ages(now);
    this.#snapshot = { ...emptySnapshot, ingressClasses: this.#assumedClasses };
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Keyed by file. */
  get problems(): Table<readonly Problem[]> {
    return this.#problems;
  }

  /** Returns the objects of all files that have a mistake and cannot be read. */
  get unread(): readonly Unread[] {
    return [...this.#files.values()].flatMap(({ unread }) => unread);
  }

  /** Returns a Problem for each object whose former form is in force. */
  get outdated(): readonly Problem[] {
    return [...this.#files].flatMap(([file, state]) =>
      [...state.kept].flatMap((id): Problem[] => {
        const { kind, metadata } = state.objects.get(id)!.object;
        const fault = state.faults.find(
          ({ object }) => object !== undefined && objectKey(object.kind, keyOfName(object)) === id,
        );
        const cause = fault ?? state.faults.find(({ object, fatal }) => object === undefined && fatal);
        if (cause === undefined || this.#ownerOf(id) !== file) return [];
        const { name, namespace } = metadata;
        const object = { kind, name, ...(namespace !== undefined && { namespace }) };
        return [{ ...faultProblem(file, cause, state), object }];
      }),
    );
  }

  /** Returns the file from which an object is taken, and the object in it. */
  held(object: ObjectName): { readonly file: string; readonly held: Held } | undefined {
    const id = objectKey(object.kind, keyOfName(object));
    const [file, held] = [this.#ownerOf(id), this.#heldFor(id)];
    return file === undefined || held === undefined ? undefined : { file, held };
  }

  /** Whether the file would hold fewer objects than before; it may then be only half written. */
  wouldLose(file: string, manifest: Manifest | undefined): boolean {
    const ids = [...(this.#files.get(file)?.objects.keys() ?? [])];
    if (ids.length === 0 || manifest === undefined) return ids.length > 0;
    const left = new Set(manifest.objects.map(idOf));
    return !manifest.complete || ids.some((id) => !left.has(id));
  }

  /**
   * Takes the present content of these files, which is undefined for a file that is gone. New files
   * are ordered by their arrival.
   */
  change(manifests: ReadonlyMap<string, Manifest | undefined>): void {
    const touched = new Set<string>();
    for (const [file, manifest] of manifests) {
      const before = this.#files.get(file);
      const after = manifest && stateOf(manifest, before);
      for (const state of [before, after]) for (const id of idsOf(state)) touched.add(id);
      for (const id of idsOf(before))
        this.#holders.set(
          id,
          this.#holdersOf(id).filter((one) => one !== file),
        );
      const alone = [file];
      for (const id of idsOf(after)) {
        const others = this.#holders.get(id);
        this.#holders.set(id, others === undefined ? alone : [...others, file]);
      }
      if (after === undefined) this.#files.delete(file);
      else this.#files.set(file, after);
    }
    this.#adopt(touched);
    const affected = new Set(manifests.keys());
    for (const id of touched) for (const file of this.#holdersOf(id)) affected.add(file);
    this.#problems = this.#problems.with([...affected].map((file) => [file, this.#problemsOf(file)] as const));
  }

  #adopt(ids: ReadonlySet<string>): void {
    const changes: ObjectChange[] = [];
    for (const id of ids) {
      const held = this.#heldFor(id);
      const { kind, key } = held ?? partsOf(id);
      const object = held && this.#ages.aged(id, held.object);
      if (held === undefined) this.#forget(id);
      const present = this.#objects[tableOf[kind]] as Table<KubernetesObject> | undefined;
      // An object that was moved to another file without a change has not changed.
      if (!isDeepStrictEqual(present?.get(key), object)) changes.push({ kind, key, object });
    }
    if (changes.length === 0) return;
    this.#objects = withObjects(this.#objects, changes);
    const hasClass = (this.#objects.ingressClasses?.size ?? 0) > 0;
    this.#snapshot = hasClass ? this.#objects : { ...this.#objects, ingressClasses: this.#assumedClasses };
  }

  #heldFor(id: string): Held | undefined {
    return this.#files.get(this.#ownerOf(id) ?? "")?.objects.get(id);
  }

  #forget(id: string): void {
    this.#ages.forget(id);
    this.#holders.delete(id);
  }

  /** Returns the file that was seen first among those with this object. */
  #ownerOf(id: string): string | undefined {
    const holders = this.#holdersOf(id);
    if (holders.length < 2) return holders[0];
    return [...this.#files.keys()].find((file) => holders.includes(file));
  }

  #holdersOf(id: string): readonly string[] {
    return this.#holders.get(id) ?? [];
  }

  /** Returns undefined if there are none. */
  #problemsOf(file: string): readonly Problem[] | undefined {
    const state = this.#files.get(file);
    if (state === undefined) return undefined;
    const faults = state.faults.map((fault) => faultProblem(file, fault, state));
    const doubles = [...state.doubles].map(([id, double]) => {
      const first = state.objects.get(id)!;
      return takenProblem(file, first, double, { file, place: first.placeOf([]) });
    });
    const taken: Problem[] = [];
    for (const [id, held] of state.objects) {
      const owner = this.#ownerOf(id)!;
      if (owner === file) continue;
      const first = this.#files.get(owner)!.objects.get(id)!;
      const double = { place: held.placeOf([]), isEqual: isDeepStrictEqual(first.object, held.object) };
      taken.push(takenProblem(file, held, double, { file: owner, place: first.placeOf([]) }));
    }
    const problems = [...faults, ...doubles, ...taken];
    return problems.length === 0 ? undefined : problems;
  }
}

function partsOf(id: string): { readonly kind: WatchedKind; readonly key: string } {
  const [kind, key] = kindAndKey(id);
  return { kind: kind as WatchedKind, key };
}

function idsOf(state: FileState | undefined): Iterable<string> {
  return state?.objects.keys() ?? [];
}
