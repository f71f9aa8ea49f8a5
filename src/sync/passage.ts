/**
 * Records on their way from one text of nginx.conf to the next (design.md 4, trap 1). A route may name a shape that only the
 * next text has, and shared memory is one for the workers of both. So a route is published at once, and the one it replaces
 * stays beside it under `before`: workers that lack the new one's shape go by that. No moment of a reload is without a route,
 * and nothing has to happen at a certain time. What only replaced routes name is removed when they have gone, and when requests
 * that were routed by them have found what they need: a request looks up its upstream once more when its body has come.
 */
import type { ChangedRecord } from "../render/rendering.ts";
import type { RecordChange } from "./ports.ts";

/** So many forms of a route are kept; `nginx/lua/sluice/route.lua` looks no further. */
const mostReplaced = 3;
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

export class Passage {
  /** Routes that some text with workers cannot serve, with the shapes they name. */
  readonly #ahead = new Map<string, readonly string[]>();
  /** What they replaced, as JSON, youngest first. */
  readonly #replaced = new Map<string, readonly string[]>();
  /** Removals of what replaced routes and requests on their way may name, and since when. */
  readonly #held = new Map<string, number>();

  /** `records` are those of an earlier life, from the disk. */
  constructor(records: ReadonlyMap<string, string>) {
    for (const [key, value] of records) {
      if (!isReplaced(key)) continue;
      const route = key.slice(before.length);
      const replaced = JSON.parse(value) as readonly unknown[];
      const texts = replaced.map((one) => JSON.stringify(one));
      this.#replaced.set(route, texts);
      this.#ahead.set(route, []); // of what shapes is not known, so the first text that is brings it home
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
      if (value === undefined && !isRoute(key)) {
        this.#held.set(key, now);
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
      if (around === undefined || isServed(shapes, around)) this.#ahead.delete(key);
  }

  /** A route that no text had, since another came before the reload, is not worth keeping. */
  #replace(key: string, value: string, around: ShapesAround): RecordChange[] {
    const shapes = this.#ahead.get(key);
    if (shapes !== undefined && shapes.length > 0 && !textsOf(around).some((text) => hasAll(text, shapes))) return [];
    const replaced = [value, ...(this.#replaced.get(key) ?? [])].slice(0, mostReplaced);
    this.#replaced.set(key, replaced);
    return [[before + key, `[${replaced.join()}]`]];
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

/** By every text with workers, and by the one that is about to have them. */
function isServed(shapes: readonly string[], around: ShapesAround): boolean {
  return around.running !== undefined && textsOf(around).every((text) => hasAll(text, shapes));
}

function textsOf({ running, coming, older }: ShapesAround): readonly ReadonlySet<string>[] {
  return [running, coming, ...older].filter((text) => text !== undefined);
}

function hasAll(text: ReadonlySet<string>, shapes: readonly string[]): boolean {
  return shapes.every((shape) => text.has(shape));
}

function isRoute(key: string): boolean {
  return key.startsWith("host ");
}
