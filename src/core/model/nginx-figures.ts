/** Figures of the running nginx, which the metrics and the page show. */

/** The connections of all workers, as nginx's stub_status counts them. */
export interface ConnectionFigures {
  readonly active: number;
  readonly reading: number;
  readonly writing: number;
  readonly waiting: number;
  readonly accepted: number;
  readonly handled: number;
  readonly requests: number;
}

/** Sums over all processes of a run folder. */
export interface ProcessFigures {
  readonly count: number;
  /** User and system time. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly virtualBytes: number;
  readonly readBytes: number;
  readonly writtenBytes: number;
  /** Seconds since 1970; 0 if there is no process. */
  readonly oldestStartSeconds: number;
}
