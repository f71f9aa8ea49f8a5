/** One reload at a time, and no more of them than the token bucket allows. */
import { type Clock, sleep } from "../timing/clock.ts";
import type { TokenBucket } from "../timing/token-bucket.ts";
import type { ApplyOutcome } from "./ports.ts";

export class Reloads {
  readonly #bucket: TokenBucket;
  readonly #clock: Clock;
  readonly #ended: () => void;
  #current: Promise<void> | undefined;

  /** `ended` is called after each. */
  constructor(bucket: TokenBucket, clock: Clock, ended: () => void) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#ended = ended;
  }

  /** Whether there is one, or one waits for the bucket. */
  get isOn(): boolean {
    return this.#current !== undefined;
  }

  /** Resolves when there is none; rejects where it threw. */
  async over(): Promise<void> {
    await this.#current;
  }

  /** Whether `reload` begins now: otherwise it waits for the bucket, or the one before takes what is wanted then. */
  ask(reload: () => Promise<ApplyOutcome>, tell: (outcome: ApplyOutcome) => void, signal: AbortSignal): boolean {
    if (this.isOn) return false;
    const waitMs = this.#bucket.waitMs(this.#clock.now());
    this.#current = this.#run(waitMs, reload, tell, signal).finally(() => {
      this.#current = undefined;
      this.#ended();
    });
    return waitMs === 0;
  }

  async #run(
    waitMs: number,
    reload: () => Promise<ApplyOutcome>,
    tell: (outcome: ApplyOutcome) => void,
    signal: AbortSignal,
  ): Promise<void> {
    if (waitMs > 0) await sleep(this.#clock, waitMs, signal);
    if (signal.aborted) return;
    this.#bucket.take(this.#clock.now());
    const outcome = await reload();
    // What the end broke off is no failure to tell of; it would hide why the controller ends.
    if (signal.aborted && outcome.kind === "unreachable") return;
    // A refusal changes nothing for the workers, and the rest must not wait for somebody's mistake.
    if (outcome.kind === "refused") this.#bucket.refund();
    tell(outcome);
  }
}
