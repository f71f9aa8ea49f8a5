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

export interface ListQuery {
  /** Words; a row has to have each of them somewhere, in whatever case. */
  readonly filter: string;
  readonly sort: string;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export const mostRows = 500;
const usualRows = 100;
const longestFilter = 200;

/** Reads a query string; a value that makes no sense counts as absent. */
export function listQuery(params: URLSearchParams): ListQuery {
  const count = (name: string, usual: number) => {
    const text = params.get(name) ?? "";
    return /^\d{1,7}$/.test(text) ? Number(text) : usual;
  };
  return {
    filter: (params.get("filter") ?? "").slice(0, longestFilter),
    sort: params.get("sort") ?? "",
    descending: params.get("order") === "desc",
    offset: count("offset", 0),
    limit: Math.min(mostRows, Math.max(1, count("limit", usualRows))),
  };
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

  page({ filter, sort, descending, offset, limit }: ListQuery): List<Row> {
    const order = this.#order(sort);
    const words = filter
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
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
    const name = Object.hasOwn(sorts, sort) ? sort : Object.keys(sorts)[0]!;
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
