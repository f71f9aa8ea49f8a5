/**
 * The results of benchmarks and their printed form: each is a list of figures, and the page in docs
 * is made of them alone.
 */

export interface Figure {
  /** A description of what was measured. */
  readonly what: string;
  /** The number of hosts or Ingresses; undefined if it does not matter. */
  readonly hosts?: number;
  readonly unit: "ms" | "us" | "MB" | "times" | "" | "KB" | "s" | "%";
  /** One entry for each run. */
  readonly values: readonly number[];
  /** The bound for the median, or for 95 in 100 if `tail` says so. */
  readonly bound?: number;
  readonly tail?: true;
  /** Further facts. */
  readonly note?: string;
}

/** One benchmark's figures, with the time and the machine. */
export interface Results {
  readonly taken: string;
  readonly conditions: string;
  readonly figures: readonly Figure[];
}

export type Benchmark = () => Promise<readonly Figure[]>;

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** The value that is compared with the bound. */
export function measureOf({ values, tail }: Figure): number {
  return tail === true ? values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]! : medianOf(values);
}

export function isMet(figure: Figure): boolean | undefined {
  return figure.bound === undefined ? undefined : measureOf(figure) <= figure.bound;
}

/** `1.27 times`, `12 ms`, `0.0003 times`: at most three significant digits. */
export function shown(value: number, unit: Figure["unit"]): string {
  const size = Math.abs(value);
  const digits =
    Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.01 ? 2 : -Math.floor(Math.log10(size));
  return `${value.toFixed(Math.min(digits, 6))}${unit === "" ? "" : ` ${unit}`}`;
}

/** `keystroke to answer, 1,000 hosts: 97 ms (82 to 140, 20 tries; bound 300 ms: met)`. */
export function lineOf(figure: Figure): string {
  const { what, hosts, values, unit, bound, tail, note } = figure;
  const among = hosts === undefined ? "" : `, ${hosts.toLocaleString("en")} hosts`;
  const spread =
    values.length === 1
      ? []
      : [`${shown(Math.min(...values), "")} to ${shown(Math.max(...values), "")}, ${values.length} tries`];
  const verdict = bound === undefined ? [] : [`bound ${shown(bound, unit)}: ${isMet(figure) ? "met" : "missed"}`];
  const most = tail === true ? [`95 % ${shown(measureOf(figure), unit)}`] : [];
  const more = [...most, ...spread, ...verdict, ...(note === undefined ? [] : [note])];
  return `${what}${among}: ${shown(medianOf(values), unit)}${more.length === 0 ? "" : ` (${more.join("; ")})`}`;
}
