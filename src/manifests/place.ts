/** Counted from 1, as editors do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}
