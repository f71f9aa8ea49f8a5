/**
 * Handles turns that failed because of a bug in Sluice outside of the reading of one object. The
 * served configuration stays. The turn is repeated at the next change and after a while, because
 * the cause may be temporary.
 */
import { bugWords } from "../../base/guarded.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { SyncReport } from "./ports.ts";
import { Retry } from "./retry.ts";

const delays = { floorMs: 1_000, ceilingMs: 60_000 };

export class FailedTurns {
  readonly #retry: Retry;
  #last: { readonly words: string; readonly snapshot: Snapshot } | undefined;

  constructor(clock: Clock, tryAgain: () => void) {
    this.#retry = new Retry(clock, delays, tryAgain);
  }

  /**
   * Schedules another try. The caller reports the result if it is a new bug, or concerns other
   * objects.
   */
  note(cause: Error, snapshot: Snapshot, tookMs: number): SyncReport | undefined {
    this.#retry.schedule();
    const words = bugWords(cause);
    const isNews = words !== this.#last?.words || snapshot !== this.#last.snapshot;
    this.#last = { words, snapshot };
    const nothing = { change: { kind: "none" }, records: {}, translateMs: 0, renderMs: 0, publishMs: 0 } as const;
    return isNews ? { ...nothing, tookMs, reload: { kind: "failed", cause } } : undefined;
  }

  /** Reports a successful turn. */
  over(): void {
    this.#last = undefined;
    this.#retry.reset();
  }
}
