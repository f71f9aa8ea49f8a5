/**
 * Turns that ended in a bug of Sluice outside of the reading of one object. The configuration that
 * is served goes on, and the turn is tried again: at the next change, and after a while, since the
 * cause may have been of the moment.
 */
import { bugWords } from "../guarded.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Clock } from "../timing/clock.ts";
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
   * Plans another try. The caller reports what it returns: another bug, or the same one with other
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

  /** A turn worked. */
  over(): void {
    this.#last = undefined;
    this.#retry.reset();
  }
}
