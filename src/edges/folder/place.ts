/** A place in a text, counted from 1 as in editors. */
export interface Place {
  readonly line: number;
  readonly column: number;
}
