/**
 * Sizes, times and fractions as nginx reads them. Most nginx directives know no `g`, and some times
 * no `ms`, so a value is kept in the spelling that every directive takes.
 */
import { Token } from "../tokens/token.ts";
import { type Kind, no, ok, shown } from "./kind.ts";

const factors: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Returns the bytes of a size like `8k`; `NaN` for any other text. */
export function bytesOf(size: string): number {
  const [, digits, unit = ""] = /^(\d{1,12})([kmg]?)$/i.exec(size) ?? [];
  return digits === undefined ? Number.NaN : Number(digits) * (factors[unit.toLowerCase()] ?? Number.NaN);
}

/** Returns a size of whole kilobytes that has at most so many bytes. */
export const inKilobytes = (bytes: number): string => `${Math.floor(bytes / 1024)}k`;

/**
 * Returns half and twice a size, if these are within the bounds. People double a size that was
 * too small, and halve one that costs too much.
 */
export function sizesBeside(size: string, bounds: { readonly min: string; readonly max: string }): readonly string[] {
  const [, digits, unit] = /^(\d+)([km]?)$/.exec(size) ?? [];
  return [Number(digits) / 2, Number(digits) * 2]
    .filter((one) => Number.isInteger(one))
    .map((one) => `${one}${unit}`)
    .filter((one) => bytesOf(one) >= bytesOf(bounds.min) && bytesOf(one) <= bytesOf(bounds.max));
}

/** nginx takes larger ones, but a number in JavaScript and Lua is exact up to here. */
const largest = "8388607g";

/**
 * Reads a size between `min` and `max` (both sizes). Blanks around it are ignored; `1g` is kept as
 * `1024m`.
 */
export function sizeBetween(min: string, max = largest): Kind<string> {
  const label = `a size like 8k or 16m, from ${min}`;
  return {
    label,
    read: (given) => {
      const text = given.trim();
      const bytes = bytesOf(text);
      if (Number.isNaN(bytes)) return no(`${shown(given)} is not a size like 8k or 16m`);
      if (bytes < bytesOf(min)) return no(`${text} is below the smallest size, ${min}`);
      if (bytes > bytesOf(max)) return no(`${text} is above the largest size, ${max}`);
      return ok(/g$/i.test(text) ? `${Number(text.slice(0, -1)) * 1024}m` : text.toLowerCase());
    },
    view: Token.size,
  };
}

const scales: Readonly<Record<string, number>> = {
  y: 31_536_000_000,
  M: 2_592_000_000,
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};
const time =
  /^(?=.)(?:(\d{1,9})y)?(?:(\d{1,9})M)?(?:(\d{1,9})w)?(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9})s?(?!\d|ms))?(?:(\d{1,9})ms)?$/;

/**
 * Returns the milliseconds of an nginx time like `1h30m`, in which a bare number means seconds;
 * `NaN` for any other text.
 */
function millisecondsOf(text: string): number {
  const found = time.exec(text);
  if (found === null) return Number.NaN;
  return Object.values(scales).reduce((sum, scale, at) => sum + Number(found[at + 1] ?? 0) * scale, 0);
}

/**
 * Reads an nginx time of at most 24 days, where its millisecond timers end. Blanks around it are
 * ignored; `whole` refuses parts of a second.
 */
export function timeSpan({ whole = false, min = 0 } = {}): Kind<string> {
  return {
    label: `a time like 30s, 5m or 1h${whole ? " in whole seconds" : ""}`,
    read: (given) => {
      const text = given.trim();
      const milliseconds = millisecondsOf(text);
      if (Number.isNaN(milliseconds)) return no(`${shown(given)} is not a time like 30s, 5m or 1h`);
      if (whole && text.includes("ms")) return no(`${shown(text)} is not in whole seconds`);
      if (milliseconds < min) return no(`${text} is below the smallest time, ${min}ms`);
      if (milliseconds > 2_073_600_000) return no(`${text} is above the largest time, 24d`);
      return ok(text);
    },
    view: Token.name,
  };
}

/** Reads a number with a fraction between `min` and `max`. */
export function decimal({ min, max }: { readonly min: number; readonly max: number }): Kind<number> {
  return {
    label: `a number from ${min} to ${max}`,
    read: (text) => {
      const value = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN;
      if (Number.isNaN(value)) return no(`${shown(text)} is not a number`);
      return value >= min && value <= max ? ok(value) : no(`${text} is not between ${min} and ${max}`);
    },
    view: (value) => Token.name(String(value)),
  };
}

/** Returns a share from 0 to 1 for people: `12.5 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
