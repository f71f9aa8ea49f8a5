/**
 * Keeps a sink equal to what the API server has of one kind: everything once, then every change,
 * for as long as it runs. It never gives up and never empties the sink on the way: after a lost
 * resourceVersion the sink gets the new whole, and compares for itself. One trap: a watch that is
 * open and quiet proves nothing. A connection may be dead (so bookmarks are asked for, and silence
 * ends it), and a server restored from a backup counts from an older version and would stay silent
 * until it has caught up (so after every broken watch its version is asked for first).
 */

import type { KubernetesObject } from "../model/objects.ts";
import { keyOf } from "../model/objects.ts";
import { type Clock, sleep } from "../timing/clock.ts";
import { type ApiFailure, isDenied, isVersionLost, ownFailure, ownReasons } from "./answer.ts";
import { Backoff } from "./backoff.ts";
import type { ListWatcher, Selection, WatchEvent } from "./client.ts";
import { listEverything } from "./initial-list.ts";
import { type Transform, takeIn } from "./intake.ts";
import type { Resource } from "./resource.ts";

export interface ReflectorSink<T> {
  /** All there is, at once: on start, and whenever changes may have been missed. */
  replaced(objects: readonly T[]): void;
  applied(object: T): void;
  removed(object: T): void;
}

export interface ReflectorOptions<T> extends Selection {
  readonly transform?: Transform<T>;
  readonly pageSize?: number;
  /** Uses streaming lists (WatchList) until a server refuses one. */
  readonly streamingLists?: boolean;
  /**
   * How long the server is asked to keep a watch: between this and twice this. client-go asks for
   * five minutes or more; but a server ends a watch when it said it would, and the end that does
   * not come is the soonest sign of a dead connection where objects seldom change.
   */
  readonly watchSeconds?: number;
  /**
   * Silence on a watch beyond this ends it; when not given, 10 s beyond the time the server was
   * asked to keep it.
   */
  readonly inactivityMs?: number;
  readonly clock: Clock;
  /** In [0, 1), as Math.random. */
  readonly random: () => number;
  readonly report?: (event: ReflectorEvent) => void;
}

/** An event in the life of a Reflector, for logs and metrics. */
export type ReflectorEvent =
  | { readonly kind: "listed"; readonly objects: number; readonly streamed: boolean; readonly tookMs: number }
  | { readonly kind: "watching"; readonly resourceVersion: string }
  /**
   * It will try again after `retryMs`; `denied` says that the server will not, so that the wait is
   * long.
   */
  | { readonly kind: "failed"; readonly denied: boolean; readonly failure: ApiFailure; readonly retryMs: number }
  /** All objects are requested again, for this reason. */
  | { readonly kind: "version-lost"; readonly why: string };

/**
 * How one turn of the loop ended: the server closed the watch in its own time, the version was
 * lost, or something failed.
 */
type TurnEnd = "closed" | "version-lost" | ApiFailure;

/** How late the end of a watch may be. */
const lateMs = 10_000;

const endOfInitialEvents = "k8s.io/initial-events-end";

export class Reflector<T extends KubernetesObject> {
  readonly #client: ListWatcher;
  readonly #of: Resource<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #selection: Selection;
  /**
   * From 800 ms as in client-go's reflector, but up to 5 s (and at most twice that) where client-go
   * goes to 30 s: what is tried is one small request, and a server that is back should be noticed.
   * Forgotten after 2 min, and at once by a watch that brought something or held: a network that
   * fails now and then must not add up to blindness.
   */
  readonly #trouble: Backoff;
  /** From 2 s, because a server that has just started refuses for a moment what it allows. */
  readonly #denial: Backoff;
  #version: string | undefined;
  #mayStream: boolean;
  #suspicious = false;
  /**
   * Ends the wait after a failure; undefined where there is none, or none that may be cut short.
   */
  #cutShort: (() => void) | undefined;
  #mayBeHurried = true;
  #lastLoss = Number.NEGATIVE_INFINITY;

  constructor(client: ListWatcher, of: Resource<T>, sink: ReflectorSink<T>, options: ReflectorOptions<T>) {
    const { namespace, labelSelector, fieldSelector, clock, random } = options;
    this.#client = client;
    this.#of = of;
    this.#sink = sink;
    this.#options = options;
    this.#selection = { namespace, labelSelector, fieldSelector };
    this.#trouble = new Backoff({ floorMs: 800, ceilingMs: 5_000, resetMs: 120_000 }, clock, random);
    this.#denial = new Backoff({ floorMs: 2_000, ceilingMs: 120_000, resetMs: 600_000 }, clock, random);
    this.#mayStream = options.streamingLists ?? true;
  }

  /** Runs until the signal aborts. Rejects only when the sink or the transform throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const started = clock.now();
      const end = this.#version === undefined ? await this.#begin(signal) : await this.#resume(signal);
      if (signal.aborted) return;
      const failure = this.#failureOf(end, clock.now() - started);
      if (failure === undefined) continue;
      const denied = isDenied(failure);
      const retryMs = Math.max((denied ? this.#denial : this.#trouble).next(), failure.retryAfterMs ?? 0);
      this.#suspicious = true;
      this.#options.report?.({ kind: "failed", denied, failure, retryMs });
      await this.#wait(retryMs, denied || failure.retryAfterMs !== undefined, signal);
    }
  }

  /**
   * Another watch was just answered by the same server: what could not be reached is tried at once.
   * Taken once, and again only when a watch has held: two that fail in turn must not keep each
   * other from waiting.
   */
  tryNow(): void {
    if (!this.#mayBeHurried || this.#cutShort === undefined) return;
    this.#mayBeHurried = false;
    this.#cutShort();
  }

  /** `firm`: the server itself said no, or how long to wait. */
  async #wait(retryMs: number, firm: boolean, signal: AbortSignal): Promise<void> {
    const short = new AbortController();
    if (!firm) this.#cutShort = () => short.abort();
    await sleep(this.#options.clock, retryMs, AbortSignal.any([signal, short.signal]));
    this.#cutShort = undefined;
  }

  /**
   * Reasons to wait before the next try. A watch that closes at once, or a version that is lost
   * twice in a row, would else spin.
   */
  #failureOf(end: TurnEnd, tookMs: number): ApiFailure | undefined {
    if (end === "closed") return tookMs < 1_000 ? ownFailure("unreachable", "the watch was closed at once") : undefined;
    if (end !== "version-lost") return end;
    const now = this.#options.clock.now();
    const again = now - this.#lastLoss < 10_000;
    this.#lastLoss = now;
    return again ? ownFailure("unreachable", "the version was lost twice within 10 s") : undefined;
  }

  /** Gets everything and stays on watch. */
  async #begin(signal: AbortSignal): Promise<TurnEnd> {
    if (this.#mayStream) {
      const end = await this.#watch(signal, undefined);
      if (this.#version !== undefined || !cannotStream(end)) return end;
      this.#mayStream = false;
    }
    const started = this.#options.clock.now();
    const { pageSize = 500, transform } = this.#options;
    const take = (object: T) => takeIn(this.#of, object, transform);
    const listing = { client: this.#client, of: this.#of, selection: this.#selection, take };
    const answer = await listEverything(listing, pageSize, signal);
    if (!answer.ok) return answer.failure;
    this.#replace(answer.value.objects, answer.value.resourceVersion, false, started);
    return await this.#watch(signal, answer.value.resourceVersion);
  }

  async #resume(signal: AbortSignal): Promise<TurnEnd> {
    const version = this.#version as string;
    if (this.#suspicious) {
      const answer = await this.#client.list(this.#of, { ...this.#selection, limit: 1 }, signal);
      if (!answer.ok) return answer.failure;
      if (isOlder(answer.value.resourceVersion, version)) {
        return this.#lose(`the server is at ${answer.value.resourceVersion}, older than ${version}`);
      }
    }
    return await this.#watch(signal, version);
  }

  /** Watches from `version`, or from nothing: then the present objects come first. */
  async #watch(signal: AbortSignal, version: string | undefined): Promise<TurnEnd> {
    const { clock, random, watchSeconds = 30, inactivityMs, report } = this.#options;
    const timeoutSeconds = Math.round(watchSeconds * (1 + random()));
    const started = clock.now();
    const initial = new Map<string, T>();
    let listed = version !== undefined;
    let brought = false;
    this.#suspicious = false;
    if (version !== undefined) report?.({ kind: "watching", resourceVersion: version });
    const options = {
      ...this.#selection,
      ...(version === undefined ? { sendInitialEvents: true } : { resourceVersion: version }),
      timeoutSeconds,
      inactivityMs: inactivityMs ?? timeoutSeconds * 1_000 + lateMs,
    };
    const onEvent = (event: WatchEvent<T>) => {
      if (listed) {
        brought = true;
        this.#change(event);
        return;
      }
      if (event.type !== "BOOKMARK") {
        const object = this.#take(event.object);
        if (event.type === "DELETED") initial.delete(keyOf(object));
        else initial.set(keyOf(object), object);
      } else if (event.object.metadata.annotations?.[endOfInitialEvents] === "true") {
        listed = true;
        this.#replace([...initial.values()], event.object.metadata.resourceVersion as string, true, started);
        initial.clear();
      }
    };
    const failure = await this.#client.watch(this.#of, options, onEvent, signal);
    const held = clock.now() - started >= 10_000;
    if (brought || held) this.#trouble.forget();
    if (held) this.#mayBeHurried = true;
    if (failure && listed && isVersionLost(failure)) return this.#lose(failure.message);
    return failure ?? "closed";
  }

  #change({ type, object }: WatchEvent<T>): void {
    this.#version = object.metadata.resourceVersion;
    if (type === "DELETED") this.#sink.removed(this.#take(object));
    else if (type !== "BOOKMARK") this.#sink.applied(this.#take(object));
  }

  #take(object: T): T {
    return takeIn(this.#of, object, this.#options.transform);
  }

  #replace(objects: readonly T[], version: string, streamed: boolean, started: number): void {
    this.#version = version;
    this.#sink.replaced(objects);
    const tookMs = this.#options.clock.now() - started;
    this.#options.report?.({ kind: "listed", objects: objects.length, streamed, tookMs });
  }

  /** All objects have to be requested again, which is no failure and needs no wait. */
  #lose(why: string): TurnEnd {
    this.#version = undefined;
    this.#options.report?.({ kind: "version-lost", why });
    return "version-lost";
  }
}

/**
 * True of the answers of a server without WatchList: it refuses the request (1.26 and older know no
 * resourceVersionMatch on a watch, newer ones name the feature), or it takes it for a plain watch,
 * which never says that the initial events have ended.
 */
function cannotStream(end: TurnEnd): boolean {
  if (typeof end === "string") return true;
  return (
    end.reason === ownReasons.silent || end.code === 400 || end.code === 405 || end.code === 406 || end.code === 422
  );
}

/**
 * resourceVersions are decimal numbers that grow; one that is not cannot be compared and never
 * counts as older.
 */
function isOlder(version: string, than: string): boolean {
  const decimal = /^\d+$/;
  return decimal.test(version) && decimal.test(than) && BigInt(version) < BigInt(than);
}
