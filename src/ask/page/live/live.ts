/**
 * Server-sent events of the page: the views whose content has changed, and figures of the traffic.
 * Browsers send requests after an event, so the time between events grows with the CPU time of the
 * last answers. Together these take less than a hundredth of a core, however busy the controller
 * is. Without a listener nothing runs here.
 */
import type { ServerResponse } from "node:http";
import { callback } from "../../../base/callbacks.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { ChangedEvent, TrafficEvent, ViewName } from "../api/events.ts";

/**
 * The objects from which each view is made. The view may have changed if one of them is a
 * different object.
 */
export type Marks = Readonly<Record<ViewName, readonly unknown[]>>;

export interface LiveParts {
  readonly clock: Pick<Clock, "now" | "schedule">;
  readonly marks: () => Marks;
  readonly traffic: () => TrafficEvent["traffic"];
  /** Calls `listener` after every change. Returns a function that ends this. */
  readonly onChange: (listener: () => void) => () => void;
  /** Called when the first browser connects, and when the last one has disconnected. */
  readonly watched: (isWatched: boolean) => void;
}

const shortestMs = 1_000;
const longestMs = 30_000;
const trafficMs = 5_000;
/**
 * The part of the time between two events that making answers may take. Connections, sending and
 * collections of memory take up to as much again.
 */
const share = 1 / 200;
/** The most connections. A browser has one for each open page. */
const mostListeners = 20;
/** How long figures are kept after the last page has closed, so that a reload finds them. */
const lingerMs = 5_000;
/**
 * The longest time of one stream; then the browser connects again. Events are so small that a
 * browser which has stopped reading would stay unnoticed for days.
 */
const longestStreamMs = 3_600_000;

export class Live {
  readonly #parts: LiveParts;
  /** The browsers that listen, each with the time when it began. */
  readonly #listeners = new Map<ServerResponse, number>();
  #marks: Marks | undefined;
  #unfollow: (() => void) | undefined;
  #cancel: (() => void) | undefined;
  #isDirty = false;
  #spentMs = 0;
  #lastMs = 0;
  #trafficAt = 0;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** Notes how much CPU time an answer has taken. */
  spent(ms: number): void {
    this.#spentMs += ms;
  }

  /** The reason why no further page may connect; undefined if there is room. */
  get whyFull(): string | undefined {
    return this.#listeners.size < mostListeners
      ? undefined
      : `${mostListeners} pages listen already; close some, or ask without events`;
  }

  listen(response: ServerResponse): void {
    response.write("retry: 1000\n: connected\n\n");
    this.#listeners.set(response, this.#parts.clock.now());
    response.on(
      "close",
      callback("the end of a page", () => this.#left(response)),
    );
    if (this.#unfollow === undefined) this.#begin();
    else this.#schedule();
  }

  close(): void {
    for (const response of this.#listeners.keys()) response.end();
    this.#listeners.clear();
    this.#finish();
  }

  #begin(): void {
    const { clock, marks, onChange, watched } = this.#parts;
    this.#marks = marks();
    this.#lastMs = clock.now();
    this.#trafficAt = clock.now() + trafficMs;
    this.#unfollow = onChange(() => {
      this.#isDirty = true;
      if (this.#listeners.size > 0) this.#schedule();
    });
    watched(true);
    this.#schedule();
  }

  #left(response: ServerResponse): void {
    if (!this.#listeners.delete(response) || this.#listeners.size > 0) return;
    this.#cancel?.();
    this.#cancel = this.#parts.clock.schedule(lingerMs, () => this.#finish());
  }

  #finish(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#unfollow === undefined) return;
    this.#unfollow();
    this.#unfollow = undefined;
    this.#isDirty = false;
    this.#parts.watched(false);
  }

  #schedule(): void {
    const { clock } = this.#parts;
    const earliest = this.#lastMs + Math.min(longestMs, Math.max(shortestMs, this.#spentMs / share));
    const wanted = this.#isDirty ? earliest : Math.max(earliest, this.#trafficAt);
    this.#cancel?.();
    this.#cancel = clock.schedule(Math.max(0, wanted - clock.now()), () => this.#send());
  }

  #send(): void {
    const { clock, marks, traffic } = this.#parts;
    const now = clock.now();
    this.#lastMs = now;
    this.#spentMs = 0;
    this.#endOld(now);
    if (this.#isDirty) {
      const next = marks();
      const views = viewsBetween(this.#marks!, next);
      this.#marks = next;
      this.#isDirty = false;
      if (views.length > 0) this.#write("changed", { views } satisfies ChangedEvent);
    }
    if (now >= this.#trafficAt) {
      this.#trafficAt = now + trafficMs;
      this.#write("traffic", { traffic: traffic() } satisfies TrafficEvent);
    }
    if (this.#listeners.size > 0) this.#schedule();
  }

  #endOld(now: number): void {
    for (const [response, since] of this.#listeners) {
      if (response.writableEnded) response.destroy();
      else if (now - since >= longestStreamMs) response.end();
    }
  }

  #write(event: string, data: unknown): void {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const response of this.#listeners.keys()) {
      // Nothing is buffered for a browser that does not read. It has to connect again and then
      // requests everything.
      if (response.writableNeedDrain) response.destroy();
      else if (!response.writableEnded) response.write(text);
    }
  }
}

function viewsBetween(before: Marks, after: Marks): readonly ViewName[] {
  const names = Object.keys(after) as ViewName[];
  return names.filter((name) => after[name].some((mark, at) => mark !== before[name][at]));
}
