/**
 * Limits how often something may happen: `ratePerSecond` on average, `burst` at once after a pause.
 */

export class TokenBucket {
  readonly #ratePerSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  /** Starts full, at `nowMs` of a clock that never goes back. */
  constructor(ratePerSecond: number, burst: number, nowMs: number) {
    this.#ratePerSecond = ratePerSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = nowMs;
  }

  /** Takes a token if there is one. */
  take(nowMs: number): boolean {
    this.#fill(nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Puts back a token that was not needed. */
  refund(): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + 1);
  }

  /** Returns the milliseconds until there is a token; 0 if there is one. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#ratePerSecond) * 1000);
  }

  #fill(nowMs: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#at) / 1000) * this.#ratePerSecond);
    this.#at = nowMs;
  }
}
