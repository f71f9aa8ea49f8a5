/** Kinds for whole numbers. Blanks around a number are an error, as with ingress-nginx. */
import { Token } from "../tokens/token.ts";
import { type Kind, no, ok, type Read, shown } from "./kind.ts";

export interface Range {
  readonly min?: number;
  readonly max?: number;
}

export function integer(range: Range = {}): Kind<number> {
  return {
    label: `a whole number${bounds(range)}`,
    read: (text) => readInteger(text, range, "a whole number"),
    view: Token.count,
  };
}

/** Reads whole seconds, written without a unit. */
export function seconds(range: Range = {}): Kind<number> {
  return {
    label: `whole seconds${bounds(range)}`,
    read: (text) => {
      const unit = /^(\d+)\s*(ms|s|m|h|d|t)$/.exec(text);
      if (unit !== null) return no(`${shown(text)} has a unit; it is a number of seconds, like ${inSeconds(unit)}`);
      return readInteger(text, range, "a whole number of seconds");
    },
    view: Token.seconds,
  };
}

function inSeconds([, digits, unit]: RegExpExecArray): number {
  const factor = { ms: 0.001, m: 60, h: 3600, d: 86_400 }[unit ?? ""] ?? 1;
  return Math.max(1, Math.round(Number(digits) * factor));
}

function readInteger(text: string, { min, max }: Range, what: string): Read<number> {
  const bare = /^(["'])(.*)\1$/.exec(text)?.[2];
  if (bare !== undefined) return no(`${shown(text)} has quotes inside the value; write ${bare} in one pair of quotes`);
  if (!/^[+-]?\d{1,15}$/.test(text)) return no(`${shown(text)} is not ${what}`);
  const value = Number(text);
  if (min !== undefined && value < min) return no(`${value} is below the smallest value, ${min}`);
  if (max !== undefined && value > max) return no(`${value} is above the largest value, ${max}`);
  return ok(value);
}

function bounds({ min, max }: Range): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return `, from ${min}`;
  return max !== undefined ? `, up to ${max}` : "";
}
