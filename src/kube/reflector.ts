/**
 * Keeps a sink equal to the API server's objects of one kind: all objects once, then every change,
 * as long as it runs. It never gives up and never empties the sink in between: after a lost
 * resourceVersion the sink gets all objects again, and compares them itself. One trap: a watch that
 * is open and silent proves nothing. The connection may be dead, so the reflector requests
 * bookmarks, and silence ends a watch. And a server that was restored from a backup counts from an
 * older version, and would be silent until it reaches the newer one. So the reflector requests the
 * server's version after every broken watch.
 */

import { type Clock, sleep } from "../base/timing/clock.ts";
import { type Answer, type ApiFailure, isDenied, isVersionLost, ownFailure, ownReasons } from "./answer.ts";
import { Backoff } from "./backoff.ts";
import type { ListWatcher } from "./client.ts";
import { type Everything, listAsStream, listEverything } from "./initial-list.ts";
import { type Transform, takeIn } from "./intake.ts";
import type { KubernetesObject } from "./object.ts";
import { keyOf } from "./object.ts";
import type { Selection, WatchEvent } from "./requests.ts";
import type { Resource } from "./resource.ts";

export interface ReflectorSink<T> {
  /** Gets all objects at once: at the start, and whenever changes may have been missed. */
  replaced(objects: readonly T[]): void;
  applied(object: T): void;
  removed(object: T): void;
}

export interface ReflectorOptions<T> extends Selection {
  readonly transform?: Transform<T>;
  readonly pageSize?: number;
  /**
   * Requests lists that the server streams: whole ones in protobuf, or else events in front of a
   * watch (WatchList) until a server refuses that.
   */
  readonly streamingLists?: boolean;
  /**
   * A watch requests that the server keeps it between this time and a third more. client-go
   * requests five minutes or more. But if objects seldom change, the missing end of a watch is
   * the first sign of a dead connection. With the default of 24 s it is noticed within 42 s.
   */
  readonly watchSeconds?: number;
  /**
   * A watch without data for this time is ended. The default is 10 s more than the time that was
   * requested from the server.
   */
  readonly inactivityMs?: number;
  readonly clock: Clock;
  /** A number in [0, 1), as from Math.random. */
  readonly random: () => number;
  readonly report?: (event: ReflectorEvent) => void;
}

/** An event in the life of a Reflector, for logs and metrics. */
export type ReflectorEvent =
  | { readonly kind: "listed"; readonly objects: number; readonly streamed: boolean; readonly tookMs: number }
  | { readonly kind: "watching"; readonly resourceVersion: string }
  /**
   * The Reflector tries again after `retryMs`. With `denied` the server refuses permanently, so the
   * wait is long. With `broken` the server was reached, and what it sent cannot be used.
   */
  | {
      readonly kind: "failed";
      readonly denied: boolean;
      readonly broken: boolean;
      readonly failure: ApiFailure;
      readonly retryMs: number;
    }
  /** All objects are requested again; `why` is the reason. */
  | { readonly kind: "version-lost"; readonly why: string }
  /** The signal has aborted; no event follows. */
  | { readonly kind: "ended" };

/**
 * The end of one turn of the loop: the server closed the watch as announced, the version was lost,
 * or something failed.
 */
type TurnEnd = "closed" | "version-lost" | ApiFailure;

/** The end of a watch may be late by this time. */
const lateMs = 10_000;

const endOfInitialEvents = "k8s.io/initial-events-end";

export class Reflector<T extends KubernetesObject> {
  readonly #client: ListWatcher;
  readonly #of: Resource<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #selection: Selection;
  /**
   * Waits from 800 ms, as in client-go's reflector, but only up to 5 s (and at most twice that),
   * where client-go waits 30 s. A try is one small request, and a server that is back should be
   * noticed soon. The count of failures is reset after 2 min, and at once after a watch that
   * delivered an event or lasted. So a network that fails from time to time does not lead to long
   * waits.
   */
  readonly #trouble: Backoff;
  /**
   * Waits from 2 s, because a server that has just started may refuse allowed requests for a
   * moment.
   */
  readonly #denial: Backoff;
  #version: string | undefined;
  #mayStream: boolean;
  #suspicious = false;
  /** Whether the server had begun to answer the watch that ended last. */
  #wasOpened = false;
  /**
   * Ends the wait after a failure. It is undefined if there is no wait, or if the wait may
   * not be shortened.
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
    await this.#keep(signal);
    this.#options.report?.({ kind: "ended" });
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const started = clock.now();
      this.#wasOpened = false;
      const end = this.#version === undefined ? await this.#begin(signal) : await this.#resume(signal);
      if (signal.aborted) return;
      const failure = this.#failureOf(end, clock.now() - started);
      if (failure === undefined) continue;
      // An error inside a watch says nothing about the right to watch.
      const denied = isDenied(failure) && !this.#wasOpened;
      const broken = failure.reason === ownReasons.unreadable || (this.#wasOpened && failure.code > 0);
      // A server that asks for a pause refuses the watch. Inside a watch nothing asks for one.
      const pauseMs = broken ? 0 : (failure.retryAfterMs ?? 0);
      const retryMs = Math.max((denied ? this.#denial : this.#trouble).next(), pauseMs);
      this.#suspicious = true;
      this.#options.report?.({ kind: "failed", denied, broken, failure, retryMs });
      await this.#wait(retryMs, denied || pauseMs > 0, signal);
    }
  }

  /**
   * Reports that the same server has just answered another watch, so that this one is tried at
   * once. It has an effect once, and again only after a watch has lasted: otherwise two watches
   * that fail in turn would never wait.
   */
  tryNow(): void {
    if (!this.#mayBeHurried || this.#cutShort === undefined) return;
    this.#mayBeHurried = false;
    this.#cutShort();
  }

  /**
   * Waits before the next try. With `firm` the wait cannot be shortened: the server itself refused,
   * or said how long to wait.
   */
  async #wait(retryMs: number, firm: boolean, signal: AbortSignal): Promise<void> {
    const short = new AbortController();
    if (!firm) this.#cutShort = () => short.abort();
    await sleep(this.#options.clock, retryMs, AbortSignal.any([signal, short.signal]));
    this.#cutShort = undefined;
  }

  /**
   * Returns the failure that makes the next try wait, if there is one. A watch that closes at once,
   * or a version that is lost twice in a row, counts as a failure, because otherwise the loop would
   * run without a pause.
   */
  #failureOf(end: TurnEnd, tookMs: number): ApiFailure | undefined {
    if (end === "closed") return tookMs < 1_000 ? ownFailure("unreachable", "the watch was closed at once") : undefined;
    if (end !== "version-lost") return end;
    const now = this.#options.clock.now();
    const again = now - this.#lastLoss < 10_000;
    this.#lastLoss = now;
    return again ? ownFailure("unreachable", "the version was lost twice within 10 s") : undefined;
  }

  /** Gets all objects and then watches for changes. */
  async #begin(signal: AbortSignal): Promise<TurnEnd> {
    const { pageSize = 500, transform, streamingLists = true, clock } = this.#options;
    const take = (object: T) => takeIn(this.#of, object, transform);
    const listing = { client: this.#client, of: this.#of, selection: this.#selection, take };
    const started = clock.now();
    const whole = streamingLists ? await listAsStream(listing, signal) : undefined;
    if (whole !== undefined) return await this.#watchAfter(whole, started, signal);
    if (this.#mayStream) {
      const end = await this.#watch(signal, undefined);
      if (this.#version !== undefined || !cannotStream(end)) return end;
      this.#mayStream = false;
    }
    return await this.#watchAfter(await listEverything(listing, pageSize, signal), started, signal);
  }

  async #watchAfter(answer: Answer<Everything<T>>, started: number, signal: AbortSignal): Promise<TurnEnd> {
    if (!answer.ok) return answer.failure;
    const { objects, resourceVersion } = answer.value;
    this.#replace(objects, resourceVersion, false, started);
    return await this.#watch(signal, resourceVersion);
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

  /** Watches from `version` on. Without a version, the present objects come first. */
  async #watch(signal: AbortSignal, version: string | undefined): Promise<TurnEnd> {
    const { clock, random, watchSeconds = 24, inactivityMs, report } = this.#options;
    const timeoutSeconds = Math.round(watchSeconds * (1 + random() / 3));
    const started = clock.now();
    const initial = new Map<string, T>();
    let listed = version !== undefined;
    let brought = false;
    this.#suspicious = false;
    const options = {
      ...this.#selection,
      ...(version === undefined ? { sendInitialEvents: true } : { resourceVersion: version }),
      timeoutSeconds,
      inactivityMs: inactivityMs ?? timeoutSeconds * 1_000 + lateMs,
      onOpened: () => {
        this.#wasOpened = true;
        if (version !== undefined) report?.({ kind: "watching", resourceVersion: version });
      },
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

  /**
   * Notes that all objects have to be requested again, which is not a failure and needs no wait.
   */
  #lose(why: string): TurnEnd {
    this.#version = undefined;
    this.#options.report?.({ kind: "version-lost", why });
    return "version-lost";
  }
}

/**
 * Whether the server has no WatchList. Such a server refuses the request (1.26 and older do not
 * know resourceVersionMatch on a watch, newer ones name the feature), or treats it as a plain
 * watch, which never reports the end of the initial events.
 */
function cannotStream(end: TurnEnd): boolean {
  if (typeof end === "string") return true;
  return (
    end.reason === ownReasons.silent || end.code === 400 || end.code === 405 || end.code === 406 || end.code === 422
  );
}

/**
 * Compares resourceVersions, which are decimal numbers that grow. A version that is not a number
 * cannot be compared, so it never counts as older.
 */
function isOlder(version: string, than: string): boolean {
  const decimal = /^\d+$/;
  return decimal.test(version) && decimal.test(than) && BigInt(version) < BigInt(than);
}
