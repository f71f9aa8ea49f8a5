/**
 * The Shapes that routes name, each in the servers that need it, and the files that they open. For
 * each, the number of Servers that use it is counted, and the next text leaves unused shapes out.
 */

import type { Slot } from "../conf/text-servers.ts";
import type { RenderedFile } from "../rendered-files.ts";
import type { Shape } from "./shape.ts";

/** Returns `slot@name`, as a text lists its shapes. */
export const placeOf = (slot: Slot, { name }: Shape): string => `${slot}${name}`;

const byName = (a: Shape, b: Shape) => (a.name < b.name ? -1 : 1);

export class UsedShapes {
  readonly #used = new Map<string, { readonly slot: Slot; readonly shape: Shape; servers: number }>();
  /** Opened files by path: shapes of one text may have different ones. */
  readonly #opened = new Map<string, { readonly file: RenderedFile; uses: number }>();

  #kept: ReadonlyMap<Slot, readonly Shape[]> | undefined;

  get size(): number {
    return this.#used.size;
  }

  /** Sorted. */
  get places(): readonly string[] {
    return [...this.#bySlot].flatMap(([slot, shapes]) => shapes.map((shape) => placeOf(slot, shape))).sort();
  }

  get all(): readonly Shape[] {
    return [...this.#bySlot.values()].flat();
  }

  /**
   * The shapes that a text has, sorted by name in each server, with those of neighbouring values,
   * which no Server uses yet. They are kept until the next change, because each server asks.
   */
  get #bySlot(): ReadonlyMap<Slot, readonly Shape[]> {
    if (this.#kept !== undefined) return this.#kept;
    const slots = new Map<Slot, Map<string, Shape>>();
    for (const { slot, shape } of this.#used.values()) {
      const own = slots.get(slot) ?? new Map<string, Shape>();
      slots.set(slot, own);
      for (const one of [shape, ...(shape.near?.() ?? [])]) own.set(one.name, one);
    }
    const sorted = [...slots].map(([slot, own]) => [slot, [...own.values()].sort(byName)] as const);
    this.#kept = new Map(sorted);
    return this.#kept;
  }

  /** Files that nginx opens at requests. */
  get opened(): readonly RenderedFile[] {
    return [...this.#opened.values()].map(({ file }) => file);
  }

  /** Whether all used shapes are among `places`. */
  areAmong(places: ReadonlySet<string>): boolean {
    return [...this.#used.keys()].every((place) => places.has(place));
  }

  /** Returns the Shapes of one server, sorted by name. */
  of(slot: Slot): readonly Shape[] {
    return this.#bySlot.get(slot) ?? [];
  }

  /** Counts one more Server that uses it. */
  use(slot: Slot, shape: Shape): void {
    this.#kept = undefined;
    const place = placeOf(slot, shape);
    const used = this.#used.get(place);
    if (used === undefined) this.#used.set(place, { slot, shape, servers: 1 });
    else used.servers++;
    for (const file of openedBy(shape)) {
      const opened = this.#opened.get(file.path);
      if (opened === undefined) this.#opened.set(file.path, { file, uses: 1 });
      else opened.uses++;
    }
  }

  /** Counts one Server fewer that uses it. */
  leave(slot: Slot, shape: Shape): void {
    this.#kept = undefined;
    const place = placeOf(slot, shape);
    const used = this.#used.get(place);
    if (used !== undefined && --used.servers === 0) this.#used.delete(place);
    for (const { path } of openedBy(shape)) {
      const opened = this.#opened.get(path);
      if (opened !== undefined && --opened.uses === 0) this.#opened.delete(path);
    }
  }

  clear(): void {
    this.#kept = undefined;
    this.#used.clear();
    this.#opened.clear();
  }
}

function openedBy({ files }: Shape): readonly RenderedFile[] {
  return files.filter((file) => file.opened);
}
