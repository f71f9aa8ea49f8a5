/**
 * Limits the number of Events by the rules of client-go's EventCorrelator. A repeated Event raises
 * the count of the existing one; many Events that differ only in their message become one
 * "combined" Event; and Events of one object beyond a limit are dropped. It decides and writes
 * nothing.
 */
import type { Clock } from "../base/timing/clock.ts";
import { TokenBucket } from "../base/timing/token-bucket.ts";

/** An object as an Event names it. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface Occurrence {
  readonly about: ObjectReference;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export type Correlated =
  | { readonly kind: "dropped" }
  /** `series` is the same for all occurrences that one Event counts. */
  | { readonly kind: "write"; readonly series: string; readonly message: string };

/** This many different messages for one object and reason are written one by one. */
const distinctMessages = 10;
/** The time in which such messages count as similar. */
const similarMs = 600_000;
/** The Events that one object may cause: some at once, then one every five minutes. */
const ofObject = { perSecond: 1 / 300, burst: 25 };
/** The number of objects and groups of messages that are kept; the least recently used go. */
const remembered = 4_096;

interface Similar {
  readonly messages: readonly string[];
  readonly lastMs: number;
}

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new Map<string, Similar>();
  readonly #budgets = new Map<string, TokenBucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  correlate({ about, type, reason, message }: Occurrence): Correlated {
    // The key is one text, because thousands of them are kept. Only the message may have blanks,
    // and it comes last.
    const object = [about.kind, about.namespace, about.name, about.uid, about.apiVersion].join(" ");
    const group = `${object} ${type} ${reason}`;
    const combined = this.#isCombined(group, message);
    const series = combined ? group : `${group} ${message}`;
    if (!this.#budget(object).take()) return { kind: "dropped" };
    return { kind: "write", series, message: combined ? `(combined from similar events): ${message}` : message };
  }

  #isCombined(group: string, message: string): boolean {
    const now = this.#clock.now();
    this.#forgetStale(now);
    const messages = this.#similar.get(group)?.messages ?? [];
    const known = messages.includes(message);
    const combined = !known && messages.length >= distinctMessages;
    this.#remember(this.#similar, group, {
      messages: known || combined ? messages : [...messages, message],
      lastMs: now,
    });
    return combined;
  }

  /**
   * Drops outdated groups of messages. The map has them in the order in which they were last used.
   */
  #forgetStale(now: number): void {
    for (const [group, { lastMs }] of this.#similar) {
      if (now - lastMs <= similarMs) return;
      this.#similar.delete(group);
    }
  }

  #budget(object: string): TokenBucket {
    const bucket = this.#budgets.get(object) ?? new TokenBucket(ofObject, this.#clock);
    this.#remember(this.#budgets, object, bucket);
    return bucket;
  }

  /** Moves the entry to the end of the map, and drops the oldest entry if there are too many. */
  #remember<T>(entries: Map<string, T>, key: string, value: T): void {
    entries.delete(key);
    entries.set(key, value);
    const [oldest] = entries.keys();
    if (entries.size > remembered && oldest !== undefined) entries.delete(oldest);
  }
}
