/**
 * Rows of one view, filtered, sorted and cut into pages. What a row is found by and each order are
 * made when they are first asked for, and are kept with the rows: while one types, ten thousand
 * rows are read and none is made again.
 */
import type { List } from "./api/list.ts";

export type SortValue = string | number;

export interface Columns<Row> {
  /** Columns that rows can be sorted by. The first one is the usual order. */
  readonly sorts: Readonly<Record<string, (row: Row) => SortValue>>;
  /** All texts that the filter looks at. */
  readonly texts: (row: Row) => readonly string[];
  /** Columns whose values change without the rows: their orders are not kept. */
  readonly moving?: readonly string[];
}

/** See `listQuery`. */
export interface ListQuery {
  /** In lower case; a row has to have each of them somewhere. */
  readonly words: readonly string[];
  /** The name of a column; empty for the usual order. */
  readonly sort: string;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export class Listing<Row> {
  readonly rows: readonly Row[];
  readonly #columns: Columns<Row>;
  readonly #orders = new Map<string, readonly number[]>();
  #texts: readonly string[] | undefined;

  constructor(rows: readonly Row[], columns: Columns<Row>) {
    this.rows = rows;
    this.#columns = columns;
  }

  /** The names of the columns by which rows can be sorted. */
  get sorts(): readonly string[] {
    return Object.keys(this.#columns.sorts);
  }

  page({ words, sort, descending, offset, limit }: ListQuery): List<Row> {
    const order = this.#order(sort);
    const found = words.length === 0 ? order : order.filter((at) => this.#has(at, words));
    const matched = found.length;
    const from = descending ? Math.max(0, matched - offset - limit) : offset;
    const cut = found.slice(from, descending ? Math.max(0, matched - offset) : offset + limit);
    const rows = (descending ? cut.toReversed() : cut).map((at) => this.rows[at]!);
    return { total: this.rows.length, matched, offset, rows };
  }

  #has(at: number, words: readonly string[]): boolean {
    this.#texts ??= this.rows.map((row) => this.#columns.texts(row).join("\n").toLowerCase());
    const text = this.#texts[at]!;
    return words.every((word) => text.includes(word));
  }

  /** Places of the rows, the smallest value first; equal values keep the usual order. */
  #order(sort: string): readonly number[] {
    const { sorts, moving = [] } = this.#columns;
    const name = sort === "" ? Object.keys(sorts)[0]! : sort;
    const known = this.#orders.get(name);
    if (known !== undefined) return known;
    const values = this.rows.map(sorts[name]!);
    const order = values.map((_, at) => at).sort((a, b) => compared(values[a]!, values[b]!) || a - b);
    if (!moving.includes(name)) this.#orders.set(name, order);
    return order;
  }
}

function compared(a: SortValue, b: SortValue): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
