/** One page of a list, as the server filters, sorts and cuts it. */

export interface List<Row> {
  /** Rows that there are. */
  readonly total: number;
  /** Rows that the filter takes. */
  readonly matched: number;
  /** Place of the first row of this page among them, from 0. */
  readonly offset: number;
  readonly rows: readonly Row[];
}
