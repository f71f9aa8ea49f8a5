/**
 * The Shapes that routes name, each in the servers that need it, and the files that they open. For
 * each, the number of Servers that use it is counted, and the next text leaves unused shapes out.
 */

import type { Slot } from "../conf/text-servers.ts";
import type { RenderedFile } from "../rendered-files.ts";
import type { Shape } from "./shape.ts";

/** Returns `slot@name`, as a text lists its shapes. */
export const placeOf = (slot: Slot, { name }: Shape): string => `${slot}${name}`;

export class UsedShapes {
  readonly #used = new Map<string, { readonly slot: Slot; readonly shape: Shape; servers: number }>();
  /** Opened files by path: shapes of one text may have different ones. */
  readonly #opened = new Map<string, { readonly file: RenderedFile; uses: number }>();

  get size(): number {
    return this.#used.size;
  }

  /** Sorted. */
  get places(): readonly string[] {
    return [...this.#written.keys()].sort();
  }

  get all(): readonly Shape[] {
    return [...this.#written.values()].map(({ shape }) => shape);
  }

  /**
   * The shapes that a text has, including those of neighbouring values, which no Server uses yet.
   */
  get #written(): ReadonlyMap<string, { readonly slot: Slot; readonly shape: Shape }> {
    const all = [...this.#used.values()].flatMap(({ slot, shape }) =>
      [shape, ...(shape.near?.() ?? [])].map((one) => ({ slot, shape: one })),
    );
    return new Map(all.map((one) => [placeOf(one.slot, one.shape), one]));
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
    const own = [...this.#written.values()].filter((one) => one.slot === slot).map(({ shape }) => shape);
    return own.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Counts one more Server that uses it. */
  use(slot: Slot, shape: Shape): void {
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
    const place = placeOf(slot, shape);
    const used = this.#used.get(place);
    if (used !== undefined && --used.servers === 0) this.#used.delete(place);
    for (const { path } of openedBy(shape)) {
      const opened = this.#opened.get(path);
      if (opened !== undefined && --opened.uses === 0) this.#opened.delete(path);
    }
  }

  clear(): void {
    this.#used.clear();
    this.#opened.clear();
  }
}

function openedBy({ files }: Shape): readonly RenderedFile[] {
  return files.filter((file) => file.opened);
}
