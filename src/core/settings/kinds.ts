/**
 * The Kinds of ConfigMap keys that differ from those of annotations: an empty text is false, or
 * zero if zero is a value.
 */
import { emptyAs, prefixed } from "../kinds/combine.ts";
import { type Kind, type Read, shown } from "../kinds/kind.ts";
import { integer, type Range, seconds } from "../kinds/numbers.ts";

/** Reads a whole number from 1 (or `min`) up to the largest that nginx can hold. */
export const count = (range: Range = {}) => prefixed(integer({ min: 1, max: 2_147_483_647, ...range }));

/** Reads a whole number. Zero, or an empty text, means "none" or "no limit". */
export const countOrNone = (range: Range = {}) => emptyAs(count({ min: 0, ...range }), "0");

/** Reads whole seconds, at most the 24 days where nginx's timers end. */
export const wholeSeconds = (range: Range = {}) => prefixed(seconds({ min: 1, max: 2_073_600, ...range }));

/** Reads whole seconds. Zero or an empty text turns the setting off. */
export const secondsOrOff = emptyAs(wholeSeconds({ min: 0 }), "0");

/** Takes every other text as one of the words of `kind`, with a Problem that ends with `which`. */
export function takenAs<T extends string>(usual: T, kind: Kind<T>, which: string): Kind<T> {
  const read = (text: string): Read<T> => {
    const known = kind.read(text);
    return known.ok ? known : { ok: true, value: usual, besides: `${shown(text)} is taken as ${usual}${which}` };
  };
  return { ...kind, read };
}
