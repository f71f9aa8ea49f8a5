/** One page of a list, which the server filters, sorts and cuts. */

export interface List<Row> {
  /** The number of all rows. */
  readonly total: number;
  /** The number of rows that match the filter. */
  readonly matched: number;
  /** The index of this page's first row among them, from 0. */
  readonly offset: number;
  readonly rows: readonly Row[];
}
