/**
 * Rows of one view, filtered, sorted and cut into pages. The texts for the filter, and each order,
 * are made at their first use and are kept with the rows. So while a user types a filter, ten
 * thousand rows are read and none is made again. If few rows have changed, the orders are kept,
 * too.
 */
import type { List } from "../api/list.ts";

export type SortValue = string | number;

export interface Columns<Row> {
  /**
   * Columns that rows can be sorted by. The first one is the usual order, which rows with equal
   * values of another column keep.
   */
  readonly sorts: Readonly<Record<string, (row: Row) => SortValue>>;
  /** Returns all texts that the filter searches. */
  readonly texts: (row: Row) => readonly string[];
  /** Columns of figures, from 0, that change without the rows: their orders are not kept. */
  readonly moving?: readonly string[];
}

/** See `listQuery`. */
export interface ListQuery {
  /** Words in lower case. A row must have each of them in one of its texts. */
  readonly words: readonly string[];
  /** The name of a column; empty for the usual order. */
  readonly sort: string;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface RowChanges<Row> {
  readonly gone: ReadonlySet<Row>;
  readonly fresh: readonly Row[];
}

/** With more changes than these, sorting anew costs less than finding the place of each row. */
const fewRows = 200;

export class Listing<Row extends object> {
  readonly rows: readonly Row[];
  readonly #columns: Columns<Row>;
  readonly #orders = new Map<string, readonly Row[]>();
  /** Shared with the lists that are made of this one. */
  #texts = new WeakMap<Row, string>();

  constructor(rows: readonly Row[], columns: Columns<Row>) {
    this.rows = rows;
    this.#columns = columns;
  }

  /** The names of the columns by which rows can be sorted. */
  get sorts(): readonly string[] {
    return Object.keys(this.#columns.sorts);
  }

  /** Returns this list with other rows. Its cost depends on the rows that changed. */
  changed({ gone, fresh }: RowChanges<Row>): Listing<Row> {
    if (gone.size === 0 && fresh.length === 0) return this;
    if (gone.size + fresh.length > fewRows || !this.#orders.has(this.#usual)) {
      const next = new Listing([...this.rows.filter((row) => !gone.has(row)), ...fresh], this.#columns);
      next.#texts = this.#texts;
      return next;
    }
    const orders = [...this.#orders].map(([name, order]) => {
      const rows = order.slice();
      for (const row of gone) rows.splice(rows.indexOf(row, this.#placeOf(row, rows, name)), 1);
      for (const row of fresh) rows.splice(this.#placeOf(row, rows, name), 0, row);
      return [name, rows] as const;
    });
    const next = new Listing(new Map(orders).get(this.#usual)!, this.#columns);
    for (const [name, rows] of orders) next.#orders.set(name, rows);
    next.#texts = this.#texts;
    return next;
  }

  page({ words, sort, descending, offset, limit }: ListQuery): List<Row> {
    const order = this.#order(sort === "" ? this.#usual : sort);
    const found = words.length === 0 ? order : order.filter((row) => this.#has(row, words));
    const matched = found.length;
    const from = descending ? Math.max(0, matched - offset - limit) : offset;
    const cut = found.slice(from, descending ? Math.max(0, matched - offset) : offset + limit);
    return { total: this.rows.length, matched, offset, rows: descending ? cut.toReversed() : cut };
  }

  get #usual(): string {
    return this.sorts[0]!;
  }

  #has(row: Row, words: readonly string[]): boolean {
    let text = this.#texts.get(row);
    if (text === undefined) {
      text = this.#columns.texts(row).join("\n").toLowerCase();
      this.#texts.set(row, text);
    }
    return words.every((word) => text.includes(word));
  }

  /** Returns the rows, the smallest value first. */
  #order(name: string): readonly Row[] {
    const { sorts, moving = [] } = this.#columns;
    const known = this.#orders.get(name);
    if (known !== undefined) return known;
    if (moving.includes(name)) return this.#movingOrder(sorts[name] as (row: Row) => number);
    const rows = name === this.#usual ? this.rows : this.#order(this.#usual);
    const order = inOrder(rows, rows.map(sorts[name]!));
    this.#orders.set(name, order);
    return order;
  }

  /**
   * Returns the rows by a figure. Most of ten thousand rows have no requests, so only the others
   * are sorted.
   */
  #movingOrder(value: (row: Row) => number): readonly Row[] {
    const [idle, busy]: [Row[], Row[]] = [[], []];
    const values: number[] = [];
    for (const row of this.#order(this.#usual)) {
      const figure = value(row);
      if (figure === 0) idle.push(row);
      else values[busy.push(row) - 1] = figure;
    }
    return [...idle, ...inOrder(busy, values)];
  }

  /**
   * Returns the place among `rows`, which have the order of a column, where the row is or has to be
   * put: the first of those with equal values.
   */
  #placeOf(row: Row, rows: readonly Row[], name: string): number {
    const [value, usual] = [this.#columns.sorts[name]!, this.#columns.sorts[this.#usual]!];
    const [own, ownUsual] = [value(row), usual(row)];
    const isBefore = (other: Row) => (compared(value(other), own) || compared(usual(other), ownUsual)) < 0;
    let [from, to] = [0, rows.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBefore(rows[middle]!)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Sorts rows by `values`, which has one for each row. Rows with equal ones keep their order. */
function inOrder<Row>(rows: readonly Row[], values: readonly SortValue[]): readonly Row[] {
  const places = rows.map((_, at) => at).sort((a, b) => compared(values[a]!, values[b]!) || a - b);
  return places.map((at) => rows[at]!);
}

function compared(a: SortValue, b: SortValue): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
