/**
 * Time that only the simulation moves. All timers of all programs wait in one queue. After each of
 * them, everything that it caused in promises and streams runs to its end. So the order of events
 * depends on nothing but the seed.
 */
import type { Clock } from "../../src/base/timing/clock.ts";

interface Timer {
  readonly at: number;
  /** Timers of one moment run in the order in which they were set. */
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** The time of day at the start of every simulation. */
const wallAtStart = Date.UTC(2026, 0, 1);

/** The turns of Node's event loop after each event: streams need some, and `soon` needs one. */
const turns = 3;

export class Time {
  #now = 0;
  #order = 0;
  #heap: Timer[] = [];

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  /** The number of timers that wait. */
  get waiting(): number {
    return this.#heap.reduce((sum, { isCancelled }) => sum + (isCancelled ? 0 : 1), 0);
  }

  /** Calls `run` after `delayMs`. Returns a function that prevents that. */
  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), order: this.#order++, run, isCancelled: false };
    this.#push(timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  /** Runs everything up to this moment, or until `isOver`. */
  async runTo(end: number, isOver: () => boolean): Promise<void> {
    await quiet();
    for (let next = this.#heap[0]; next !== undefined && next.at <= end && !isOver(); next = this.#heap[0]) {
      this.#pop();
      if (next.isCancelled) continue;
      this.#now = next.at;
      next.run();
      await quiet();
    }
    if (!isOver()) this.#now = Math.max(this.#now, end);
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (isBefore(heap[above]!, timer)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      if (isBefore(last, heap[below]!)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
  }
}

const isBefore = (one: Timer, other: Timer): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

/** Resolves when the promises and streams that can go on have gone on. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/**
 * The clock of one program. It stops for ever when the program is killed, and its time of day may
 * jump.
 */
export class ProgramClock implements Clock {
  readonly #time: Time;
  readonly #crashed: (error: unknown) => void;
  #isDead = false;
  /** The difference of the time of day. */
  skewMs = 0;

  /** `crashed` gets an exception of a timer, which would end a program of Node. */
  constructor(time: Time, crashed: (error: unknown) => void) {
    this.#time = time;
    this.#crashed = crashed;
  }

  now(): number {
    return this.#time.now;
  }

  wall(): number {
    return wallAtStart + this.#time.now + this.skewMs;
  }

  schedule(delayMs: number, run: () => void): () => void {
    return this.#time.after(delayMs, () => {
      if (this.#isDead) return;
      try {
        run();
      } catch (error) {
        this.#crashed(error);
      }
    });
  }

  kill(): void {
    this.#isDead = true;
  }
}
