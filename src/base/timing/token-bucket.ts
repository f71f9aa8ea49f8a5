/**
 * Limits how often something may happen: `perSecond` on average, `burst` at once after a pause.
 */
import type { Clock } from "./clock.ts";

export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #clock: Pick<Clock, "now">;
  #tokens: number;
  #at: number;

  /** Starts full. */
  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }, clock: Pick<Clock, "now">) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.now();
  }

  /** Takes a token if there is one. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /**
   * Takes a token, if necessary a future one, and returns the milliseconds until it is available.
   */
  reserve(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Puts back a token that was not needed. */
  refund(): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + 1);
  }

  /** Returns the milliseconds until there is a token; 0 if there is one. */
  waitMs(): number {
    this.#fill();
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) / this.#perMs);
  }

  #fill(): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}
