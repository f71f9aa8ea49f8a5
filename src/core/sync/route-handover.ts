/**
 * Keeps the previous version of a route beside the new one until every worker knows the shapes that
 * the new one needs (trap 1). A route may name a shape that only the next text has, while the
 * workers of both texts share one memory. So a route is published at once, before the reload, and
 * the version that it replaces stays under `before`. A worker that lacks the new shape uses the
 * earlier version. So there is a route at every moment of a reload, and nothing depends on timing.
 *
 * A host may move from one record to another, such as from one API to the other. Then the former
 * record stays until the running text can serve the new one.
 *
 * Records that only replaced routes name are removed later: when those routes are gone, and when
 * requests that they routed need the records no longer. A request looks up its upstream again when
 * its body has arrived.
 */
import { isDeepStrictEqual } from "node:util";
import {
  isLookedUpLater,
  isNamed,
  isReplaced,
  isRoute,
  type RecordChange,
  replacedBy,
  replacedKey,
} from "../model/records.ts";
import type { ChangedRecord } from "../render/rendering.ts";

/**
 * The time that ingress-nginx gives requests to finish after a reload (worker-shutdown-timeout), in
 * ms.
 */
const inFlightMs = 240_000;
const none = "false";

export interface ShapesAround {
  /** Shapes of the running text; undefined if an earlier process of Sluice made it. */
  readonly running: ReadonlySet<string> | undefined;
  /** Shapes of the text that is being applied. */
  readonly coming: ReadonlySet<string> | undefined;
  /** Shapes of earlier texts whose workers may still run. */
  readonly older: readonly ReadonlySet<string>[];
}

/**
 * The shapes that a route names. Every text can serve `any`. The shapes of an earlier process's
 * routes are unknown.
 */
type Shapes = readonly string[] | "any" | "unknown";

interface Replaced {
  /** The record's text, which is JSON. */
  readonly record: string;
  readonly shapes: Shapes;
}

export class RouteHandover {
  /** Routes that not every text with workers can serve, with the shapes that they name. */
  readonly #ahead = new Map<string, Shapes>();
  /**
   * The versions that they replaced, newest first: for each text with workers the newest that it
   * can serve.
   */
  readonly #replaced = new Map<string, readonly Replaced[]>();
  /**
   * Removals that wait, because replaced routes and requests in flight may need these records, each
   * with the time since which it waits.
   */
  readonly #held = new Map<string, number>();
  /** Removed routes whose host another route takes over, with the key of that one. */
  readonly #succeeded = new Map<string, string>();

  /** `records` come from an earlier process, by the disk. */
  constructor(records: ReadonlyMap<string, string>) {
    for (const [key, value] of records) {
      if (!isReplaced(key)) continue;
      const route = replacedBy(key);
      const replaced = JSON.parse(value) as readonly unknown[];
      this.#replaced.set(
        route,
        replaced.map((one) => ({ record: JSON.stringify(one), shapes: "unknown" })),
      );
      this.#ahead.set(route, "unknown"); // settled by the first text that is known
    }
  }

  /** Whether records are kept that will be removed later. */
  get isPending(): boolean {
    return this.keepsReplaced || this.#held.size > 0 || this.#succeeded.size > 0;
  }

  get keepsReplaced(): boolean {
    return this.#replaced.size > 0;
  }

  /**
   * Returns the records to write for `changed`. `current` has the records that were written last,
   * and `now` is a Clock's time in ms. Without `around` no nginx runs, and no replaced route is
   * kept.
   */
  take(
    changed: ReadonlyMap<string, ChangedRecord>,
    current: ReadonlyMap<string, string>,
    around: ShapesAround | undefined,
    now: number,
  ): RecordChange[] {
    this.#settle(around);
    const changes: RecordChange[] = [];
    const removed: string[] = [];
    for (const [key, { value, shapes }] of changed) {
      if (value === undefined && isNamed(key)) {
        this.#held.set(key, isLookedUpLater(key) ? now : Number.NEGATIVE_INFINITY);
        continue;
      }
      this.#held.delete(key);
      this.#succeeded.delete(key);
      if (value === undefined && isRoute(key) && current.has(key)) {
        removed.push(key);
        continue;
      }
      if (around === undefined || isServed(key, shapes, around)) this.#ahead.delete(key);
      else if (isRoute(key)) {
        changes.push(...this.#replace(key, current.get(key) ?? none, around));
        this.#ahead.set(key, shapes);
      }
      changes.push([key, value]);
    }
    return [
      ...changes,
      ...this.#succeed(removed, around),
      ...this.#release(around === undefined ? Number.POSITIVE_INFINITY : now - inFlightMs),
    ];
  }

  /** Returns the removals of replaced routes, if no worker of an older text is left. */
  forget(): RecordChange[] {
    const over = [...this.#replaced.keys()].filter((key) => !this.#ahead.has(key));
    for (const key of over) this.#replaced.delete(key);
    return over.map((key) => [replacedKey(key), undefined]);
  }

  /** Returns the removals of these routes, and of earlier ones, unless their successors wait. */
  #succeed(removed: readonly string[], around: ShapesAround | undefined): RecordChange[] {
    const waits = (key: string) => {
      const shapes = this.#ahead.get(key);
      return shapes !== undefined && around !== undefined && !isServed(key, shapes, { ...around, older: [] });
    };
    for (const key of removed) this.#ahead.delete(key);
    const over = [...this.#succeeded].filter(([, successor]) => !waits(successor)).map(([key]) => key);
    for (const key of removed) {
      const successor = [...this.#ahead.keys()].find((other) => hostIn(other) === hostIn(key) && waits(other));
      if (successor === undefined) over.push(key);
      else this.#succeeded.set(key, successor);
    }
    for (const key of over) this.#succeeded.delete(key);
    return over.map((key) => [key, undefined]);
  }

  #settle(around: ShapesAround | undefined): void {
    if (around !== undefined && around.running === undefined) return;
    for (const [key, shapes] of this.#ahead)
      if (around === undefined || shapes === "unknown" || isServed(key, shapes, around)) this.#ahead.delete(key);
  }

  /**
   * Keeps a replaced route. Every text can serve a route that is not in `#ahead`: the texts of its
   * time could serve it, and each later text was made with it.
   */
  #replace(key: string, record: string, around: ShapesAround): RecordChange[] {
    const kept = this.#replaced.get(key) ?? [];
    const replaced = needed(key, [{ record, shapes: this.#ahead.get(key) ?? "any" }, ...kept], around);
    if (isDeepStrictEqual(replaced, kept)) return [];
    this.#replaced.set(key, replaced);
    return [[replacedKey(key), `[${replaced.map((one) => one.record).join()}]`]];
  }

  #release(heldUntil: number): RecordChange[] {
    if (this.#ahead.size > 0) return [];
    const released = [...this.#held].filter(([, since]) => since <= heldUntil).map(([key]) => key);
    for (const key of released) this.#held.delete(key);
    return released.map((key) => [key, undefined]);
  }
}

/**
 * Returns, for each text, the newest route that it can serve, and all routes with unknown shapes.
 */
function needed(key: string, replaced: readonly Replaced[], around: ShapesAround): readonly Replaced[] {
  const waiting = new Set(textsOf(around));
  return replaced.filter(({ shapes }) => {
    const served = [...waiting].filter((text) => serves(text, key, shapes));
    for (const text of served) waiting.delete(text);
    return served.length > 0 || shapes === "unknown";
  });
}

/** Returns the name of the host, which records of listeners have after their listener. */
const hostIn = (key: string): string => key.slice(key.lastIndexOf(" ") + 1);

/** Whether every text with workers, and the one that is being applied, can serve it. */
function isServed(key: string, shapes: Shapes, around: ShapesAround): boolean {
  return textsOf(around).every((text) => serves(text, key, shapes));
}

/** Returns the shapes of all texts; undefined stands for the text of an earlier process. */
function textsOf({ running, coming, older }: ShapesAround): readonly (ReadonlySet<string> | undefined)[] {
  return [running, ...older, ...(coming === undefined ? [] : [coming])];
}

/**
 * Whether the text can serve the route. If the text has a server block of the host's own, all
 * requests for the host arrive there, also when the host is none of its own any more.
 */
function serves(text: ReadonlySet<string> | undefined, key: string, shapes: Shapes): boolean {
  if (typeof shapes === "string") return shapes === "any";
  const own = text !== undefined && hasBlock(text, hostIn(key)) ? hostIn(key) : "";
  return shapes.every((shape) => text?.has(shape.startsWith("@") ? `${own}${shape}` : shape));
}

function hasBlock(text: ReadonlySet<string>, host: string): boolean {
  for (const shape of text) if (shape.startsWith(`${host}@`)) return true;
  return false;
}
