/**
 * Records on their way from one text of nginx.conf to the next (design.md 4, trap 1). A route may name a shape that only the
 * next text has, and shared memory is one for the workers of both. So a route is published at once, and the one it replaces
 * stays beside it under `before`: workers that lack the new one's shape go by that. No moment of a reload is without a route,
 * and nothing has to happen at a certain time. What only replaced routes name is removed when they have gone, and when requests
 * that were routed by them have found what they need: a request looks up its upstream once more when its body has come.
 */
import { isDeepStrictEqual } from "node:util";
import type { ChangedRecord } from "../render/rendering.ts";
import type { RecordChange } from "./ports.ts";

/** What an ingress-nginx grants requests on their way when it reloads (worker-shutdown-timeout), in ms. */
const onTheirWay = 240_000;
const before = "before ";
const none = "false";

export interface ShapesAround {
  /** Those of the text that nginx runs with; undefined where that is of an earlier life. */
  readonly running: ReadonlySet<string> | undefined;
  /** Those of a text that it is being given. */
  readonly coming: ReadonlySet<string> | undefined;
  /** Those of texts that it had before and that workers may still go by. */
  readonly older: readonly ReadonlySet<string>[];
}

/** `any`: whatever text there is can serve it. Of a route of an earlier life nothing is known. */
type Shapes = readonly string[] | "any" | "unknown";

interface Replaced {
  /** JSON. */
  readonly record: string;
  readonly shapes: Shapes;
}

export class Passage {
  /** Routes that some text with workers cannot serve, with the shapes they name. */
  readonly #ahead = new Map<string, Shapes>();
  /** What they replaced, youngest first: for each text with workers the youngest that it can serve. */
  readonly #replaced = new Map<string, readonly Replaced[]>();
  /** Removals of what replaced routes and requests on their way may name, and since when. */
  readonly #held = new Map<string, number>();

  /** `records` are those of an earlier life, from the disk. */
  constructor(records: ReadonlyMap<string, string>) {
    for (const [key, value] of records) {
      if (!isReplaced(key)) continue;
      const route = key.slice(before.length);
      const replaced = JSON.parse(value) as readonly unknown[];
      this.#replaced.set(
        route,
        replaced.map((one) => ({ record: JSON.stringify(one), shapes: "unknown" })),
      );
      this.#ahead.set(route, "unknown"); // so the first text that is known brings it home
    }
  }

  /** Whether records are kept that will go. */
  get isOn(): boolean {
    return this.keepsReplaced || this.#held.size > 0;
  }

  get keepsReplaced(): boolean {
    return this.#replaced.size > 0;
  }

  /**
   * What is to be written for `changed`; `current` is what was written last. Without `around` no nginx runs, and nothing is kept.
   * `now` is a Clock's, in ms.
   */
  take(
    changed: ReadonlyMap<string, ChangedRecord>,
    current: ReadonlyMap<string, string>,
    around: ShapesAround | undefined,
    now: number,
  ): RecordChange[] {
    this.#arrive(around);
    const changes: RecordChange[] = [];
    for (const [key, { value, shapes }] of changed) {
      if (value === undefined && isNamed(key)) {
        this.#held.set(key, isLookedUpAgain(key) ? now : Number.NEGATIVE_INFINITY);
        continue;
      }
      this.#held.delete(key);
      if (around === undefined || isServed(shapes, around)) this.#ahead.delete(key);
      else if (isRoute(key)) {
        changes.push(...this.#replace(key, current.get(key) ?? none, around));
        this.#ahead.set(key, shapes);
      }
      changes.push([key, value]);
    }
    return [...changes, ...this.#release(around === undefined ? Number.POSITIVE_INFINITY : now - onTheirWay)];
  }

  /** Removals of replaced routes, for when no worker of an older text is left. */
  forget(): RecordChange[] {
    const over = [...this.#replaced.keys()].filter((key) => !this.#ahead.has(key));
    for (const key of over) this.#replaced.delete(key);
    return over.map((key) => [before + key, undefined]);
  }

  #arrive(around: ShapesAround | undefined): void {
    if (around !== undefined && around.running === undefined) return;
    for (const [key, shapes] of this.#ahead)
      if (around === undefined || shapes === "unknown" || isServed(shapes, around)) this.#ahead.delete(key);
  }

  /** A route that was not ahead is served by every text that there was then, and each text since was made with it. */
  #replace(key: string, record: string, around: ShapesAround): RecordChange[] {
    const kept = this.#replaced.get(key) ?? [];
    const replaced = needed([{ record, shapes: this.#ahead.get(key) ?? "any" }, ...kept], around);
    if (isDeepStrictEqual(replaced, kept)) return [];
    this.#replaced.set(key, replaced);
    return [[before + key, `[${replaced.map((one) => one.record).join()}]`]];
  }

  #release(heldUntil: number): RecordChange[] {
    if (this.#ahead.size > 0) return [];
    const released = [...this.#held].filter(([, since]) => since <= heldUntil).map(([key]) => key);
    for (const key of released) this.#held.delete(key);
    return released.map((key) => [key, undefined]);
  }
}

/** Whether under this key is what routes replaced. */
export function isReplaced(key: string): boolean {
  return key.startsWith(before);
}

/** For each text the youngest route that it can serve, and those of which that is not known. */
function needed(replaced: readonly Replaced[], around: ShapesAround): readonly Replaced[] {
  const waiting = new Set(textsOf(around));
  return replaced.filter(({ shapes }) => {
    const served = [...waiting].filter((text) => serves(text, shapes));
    for (const text of served) waiting.delete(text);
    return served.length > 0 || shapes === "unknown";
  });
}

/** By every text with workers, and by the one that is about to have them. */
function isServed(shapes: Shapes, around: ShapesAround): boolean {
  return textsOf(around).every((text) => serves(text, shapes));
}

/** Undefined is the one of an earlier life. */
function textsOf({ running, coming, older }: ShapesAround): readonly (ReadonlySet<string> | undefined)[] {
  return [running, ...older, ...(coming === undefined ? [] : [coming])];
}

function serves(text: ReadonlySet<string> | undefined, shapes: Shapes): boolean {
  if (typeof shapes === "string") return shapes === "any";
  return shapes.every((shape) => text?.has(shape));
}

/** By other records, replaced ones among them. All else is found by what a client says, and gone as soon as it is. */
function isNamed(key: string): boolean {
  return isLookedUpAgain(key) || key.startsWith("staple ");
}

/** By a request that was routed, or a handshake that has found its name, when the record may have gone meanwhile. */
function isLookedUpAgain(key: string): boolean {
  return key.startsWith("upstream ") || key.startsWith("pair ");
}

function isRoute(key: string): boolean {
  return key.startsWith("host ");
}
