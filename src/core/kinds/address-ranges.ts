/** Ranges of addresses as bits: the intersection of two lists, and the form that Lua reads. */
import { bytesOfAddress } from "../model/ip-address.ts";

interface Range {
  readonly text: string;
  readonly family: 4 | 6;
  /** The bits with which all its addresses begin. */
  readonly prefix: string;
}

/**
 * Returns the ranges whose addresses are in both lists, in their own spelling. Two ranges are
 * either nested or disjoint.
 */
export function inBoth(one: readonly string[], other: readonly string[]): readonly string[] {
  const others = other.map(rangeOf);
  const common = one.map(rangeOf).flatMap((range) =>
    others.flatMap((second) => {
      if (range.family !== second.family) return [];
      if (range.prefix.startsWith(second.prefix)) return [range.text];
      return second.prefix.startsWith(range.prefix) ? [second.text] : [];
    }),
  );
  return [...new Set(common)];
}

/** Returns each range once, with blanks between them. */
export const hexRanges = (texts: readonly string[]): string => [...new Set(texts.map(hexRange))].join(" ");

/**
 * Returns `192.0.2.77/24` as `c0000200/24`: the hexadecimal digits of its first address, 8 or 32 of
 * them.
 */
function hexRange(text: string): string {
  const { family, prefix } = rangeOf(text);
  const bits = prefix.padEnd(family === 4 ? 32 : 128, "0");
  const digits = bits.match(/.{4}/g)!.map((four) => Number.parseInt(four, 2).toString(16));
  return `${digits.join("")}/${prefix.length}`;
}

function rangeOf(text: string): Range {
  const [address = "", length] = text.split("/");
  const bytes = bytesOfAddress(address)!;
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return {
    text,
    family: bytes.length === 4 ? 4 : 6,
    prefix: length === undefined ? bits : bits.slice(0, Number(length)),
  };
}
