/** Runs one reload at a time, and only as many as the token bucket allows. */
import { type Clock, sleep } from "../../base/timing/clock.ts";
import type { TokenBucket } from "../../base/timing/token-bucket.ts";
import type { Ending } from "./applying.ts";
import type { ApplyOutcome } from "./ports.ts";

export class Reloads {
  readonly #bucket: TokenBucket;
  readonly #clock: Clock;
  readonly #ended: () => void;
  #current: Promise<void> | undefined;

  /** `ended` is called after each reload. */
  constructor(bucket: TokenBucket, clock: Clock, ended: () => void) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#ended = ended;
  }

  /** Whether a reload runs or waits for the bucket. */
  get isOn(): boolean {
    return this.#current !== undefined;
  }

  /** Resolves when no reload runs; rejects if the reload threw. */
  async over(): Promise<void> {
    await this.#current;
  }

  /**
   * Returns whether `reload` begins now. If not, it begins when the bucket has a token, or another
   * turn follows the running reload.
   */
  ask(
    reload: () => Promise<Pick<Ending, "refunds" | "report">>,
    publish: (outcome: ApplyOutcome) => void,
    signal: AbortSignal,
  ): boolean {
    if (this.isOn) return false;
    const waitMs = this.#bucket.waitMs();
    this.#current = this.#run(waitMs, reload, publish, signal).finally(() => {
      this.#current = undefined;
      this.#ended();
    });
    return waitMs === 0;
  }

  async #run(
    waitMs: number,
    reload: () => Promise<Pick<Ending, "refunds" | "report">>,
    publish: (outcome: ApplyOutcome) => void,
    signal: AbortSignal,
  ): Promise<void> {
    if (waitMs > 0) await sleep(this.#clock, waitMs, signal);
    if (signal.aborted) return;
    this.#bucket.take();
    const { refunds, report } = await reload();
    if (refunds) this.#bucket.refund();
    if (report !== undefined) publish(report);
  }
}
