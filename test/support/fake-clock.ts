/**
 * A Clock that stands still until a test advances it. `advance` runs the timers that become due, in
 * order, and lets promises settle after each one, so code that waits repeatedly goes through all
 * its rounds in one call.
 */
import type { Clock } from "../../src/base/timing/clock.ts";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class FakeClock implements Clock {
  #now = 0;
  #wall = Date.UTC(2026, 0, 1);
  #timers: readonly Timer[] = [];

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#wall;
  }

  schedule(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), run };
    this.#timers = [...this.#timers, timer].sort((one, other) => one.at - other.at);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** The number of waiting timers: 0 when everything was stopped properly. */
  get waiting(): number {
    return this.#timers.length;
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (let next = this.#timers[0]; next !== undefined && next.at <= until; next = this.#timers[0]) {
      this.#timers = this.#timers.slice(1);
      this.#move(Math.max(0, next.at - this.#now));
      next.run();
      await settled();
    }
    this.#move(Math.max(0, until - this.#now));
  }

  /** Moves time without running due timers, as if the process had been stopped. */
  freeze(ms: number): void {
    this.#move(ms);
  }

  /** Moves only the wall clock. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  #move(ms: number): void {
    this.#now += ms;
    this.#wall += ms;
  }
}

/** Lets all resolved promises run their callbacks, and those that become resolved thereby. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
