/**
 * A Clock that stands still until a test moves it. `advance` runs what falls due on the way, in
 * order, and lets promises settle after each, so code that waits, works and waits again goes
 * through all its rounds in one call.
 */
import type { Clock } from "../../src/timing/clock.ts";

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

  /** How many timers wait: none is left when everything was stopped properly. */
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

  /** Moves time without running due timers, as when a process was stopped. */
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

/** Lets every promise that is ready run, and those that become ready by it. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
