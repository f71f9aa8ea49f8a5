/** The last thirty minutes, for the plots. Each list has the oldest step first. */

export interface HistoryAnswer {
  readonly stepSeconds: number;
  /** Empty if nothing is kept: `--ui-history=false`. */
  readonly requestsPerSecond: readonly number[];
  /** Answers with 5xx. */
  readonly errorsPerSecond: readonly number[];
  /** Seconds; 0 for a step without requests. */
  readonly p99: readonly number[];
  /** Reloads of nginx in each step, of the whole controller. */
  readonly reloads: readonly number[];
  /** Changes that were applied in each step, of the whole controller. */
  readonly changes: readonly number[];
}
