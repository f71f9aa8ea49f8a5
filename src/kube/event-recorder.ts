/**
 * Writes Kubernetes Events in the background. `record` returns at once, the queue is bounded, and
 * an Event that cannot be written is dropped and reported. Events only help users of `kubectl
 * describe`; nothing may depend on them.
 */

import type { CoreV1Event } from "@kubernetes/client-node";
import { guardedLater } from "../base/guarded.ts";
import { type Clock, sleep } from "../base/timing/clock.ts";
import { TokenBucket } from "../base/timing/token-bucket.ts";
import { visibleLines } from "../base/visible.ts";
import { type ApiFailure, bugFailure } from "./answer.ts";
import type { Client } from "./client.ts";
import { EventCorrelator, type ObjectReference, type Occurrence } from "./event-correlator.ts";
import type { JsonObject } from "./json.ts";
import type { KubernetesObject } from "./object.ts";
import { resource } from "./resource.ts";

export type KubernetesEvent = JsonObject<CoreV1Event>;

export const events = resource<KubernetesEvent>({
  apiVersion: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
});

/**
 * The part of a written Event that is kept, because there may be thousands: its name and its count.
 */
type WrittenEvent = { readonly namespace: string; readonly name: string; readonly count: number };

export interface EventRecorderOptions {
  /** The reporting component, as `kubectl describe` prints it. */
  readonly component: string;
  readonly clock: Clock;
  /** The limit of writes for all objects together. */
  readonly budget?: { readonly perSecond: number; readonly burst: number };
  /**
   * The most occurrences that wait to be written. Beyond this number the oldest one is dropped; a
   * Warning is dropped only if no other Event waits.
   */
  readonly queueLength?: number;
  readonly report?: (dropped: { readonly occurrence: Occurrence; readonly failure?: ApiFailure }) => void;
}

/** The number of tries, which are 10 s apart, as in client-go's broadcaster. */
const tries = 12;
const retryMs = 10_000;

export class EventRecorder {
  readonly #client: Pick<Client, "create" | "patch">;
  readonly #options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  readonly #budget: TokenBucket;
  /**
   * Warnings are written first: after a start there may be one other Event for each of thousands of
   * objects.
   */
  readonly #queues: Readonly<Record<Occurrence["type"], Occurrence[]>> = { Warning: [], Normal: [] };
  /** The Event on the server that counts each series. */
  readonly #written = new Map<string, WrittenEvent>();
  #wake = Promise.withResolvers<void>();
  #named = 0;

  constructor(client: Pick<Client, "create" | "patch">, options: EventRecorderOptions) {
    this.#client = client;
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
    this.#budget = new TokenBucket(options.budget ?? { perSecond: 5, burst: 50 }, options.clock);
  }

  /** Queues an Event. `about` is the object itself or a reference to one. */
  record(about: KubernetesObject | ObjectReference, type: "Normal" | "Warning", reason: string, message: string): void {
    const { Warning, Normal } = this.#queues;
    this.#queues[type].push({ about: "metadata" in about ? referenceTo(about) : about, type, reason, message });
    if (Warning.length + Normal.length > (this.#options.queueLength ?? 1_000)) {
      const oldest = Normal.shift() ?? Warning.shift();
      if (oldest) this.#options.report?.({ occurrence: oldest });
    }
    this.#wake.resolve();
  }

  /** Writes the recorded Events until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#wake.resolve(), { once: true });
    while (!signal.aborted) {
      const occurrence = this.#queues.Warning.shift() ?? this.#queues.Normal.shift();
      if (occurrence) await this.#tryToWrite(occurrence, signal);
      else {
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
      }
    }
  }

  /**
   * Writes one occurrence. An Event on which the recorder itself fails is dropped like one that the
   * server refuses.
   */
  async #tryToWrite(occurrence: Occurrence, signal: AbortSignal): Promise<void> {
    const dropped = (bug: Error) => this.#options.report?.({ occurrence, failure: bugFailure(bug) });
    await guardedLater(() => this.#write(occurrence, signal), dropped);
  }

  async #write(occurrence: Occurrence, signal: AbortSignal): Promise<void> {
    const correlated = this.#correlator.correlate(occurrence);
    if (correlated.kind === "dropped") {
      this.#options.report?.({ occurrence });
      return;
    }
    const { series, message } = correlated;
    await sleep(this.#options.clock, this.#budget.reserve(), signal);
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const before = this.#written.get(series);
      const answer = before
        ? await this.#countUp(before, message, signal)
        : await this.#create(occurrence, message, signal);
      if (answer.ok) {
        this.#keep(series, answer.value);
        return;
      }
      const { failure } = answer;
      // The server keeps Events for an hour; an expired one is created again.
      if (before && failure.code === 404) this.#written.delete(series);
      else if (attempt === tries || isFinal(failure)) {
        this.#options.report?.({ occurrence, failure });
        return;
      } else await sleep(this.#options.clock, failure.retryAfterMs ?? retryMs, signal);
    }
  }

  #countUp({ count, ...name }: WrittenEvent, message: string, signal: AbortSignal) {
    const body = { count: count + 1, message: shortened(message), lastTimestamp: this.#timestamp() };
    return this.#client.patch(events, name, { type: "merge", body }, signal);
  }

  #create({ about, type, reason }: Occurrence, message: string, signal: AbortSignal) {
    const now = this.#timestamp();
    this.#named += 1;
    const unique = (BigInt(this.#options.clock.wall()) * 1_000_000n + BigInt(this.#named % 1_000_000)).toString(16);
    const event: KubernetesEvent = {
      apiVersion: events.apiVersion,
      kind: events.kind,
      metadata: { namespace: about.namespace ?? "default", name: `${about.name.slice(0, 200)}.${unique}` },
      involvedObject: about,
      type,
      reason,
      message: shortened(message),
      source: { component: this.#options.component },
      reportingComponent: this.#options.component,
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
    };
    return this.#client.create(events, event, signal);
  }

  #keep(series: string, { metadata: { namespace = "default", name }, count = 1 }: KubernetesEvent): void {
    this.#written.delete(series);
    this.#written.set(series, { namespace, name, count });
    const [oldest] = this.#written.keys();
    if (this.#written.size > 4_096 && oldest !== undefined) this.#written.delete(oldest);
  }

  #timestamp(): string {
    return new Date(this.#options.clock.wall()).toISOString().replace(/\.\d+Z$/, "Z");
  }
}

/**
 * Whether the server refuses this Event itself. Another try can only help after a lost connection
 * or with an overloaded server.
 */
const isFinal = ({ code }: ApiFailure): boolean => code >= 400 && code < 500 && code !== 429 && code !== 401;

/** Shortens a message to the 1024 bytes that the API allows. */
function shortened(text: string): string {
  const limit = 1_024;
  const message = visibleLines(text);
  if (Buffer.byteLength(message) <= limit) return message;
  return `${Buffer.from(message)
    .subarray(0, limit - 6)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")}...`;
}

function referenceTo({ apiVersion, kind, metadata }: KubernetesObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
