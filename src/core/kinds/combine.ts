/**
 * Makes Kinds of other Kinds: with a meaning for an empty text, with a base prefix for numbers, or
 * as lists.
 */
import type { View } from "../tokens/token.ts";
import {
  itemsIn,
  joinedWhys,
  type Kind,
  longestText,
  longestWord,
  no,
  ok,
  type Read,
  readEach,
  tooManyItems,
  written,
} from "./kind.ts";

/** Reads by `kind`. An empty text means that there is no value. */
export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return {
    ...kind,
    label: `${kind.label}, or empty`,
    read: (text): Read<T | undefined> => (text === "" ? ok(undefined) : kind.read(text)),
    write: (value) => (value === undefined ? "" : written(kind, value)),
    view: (value): View => (value === undefined ? false : kind.view(value)),
  };
}

/** Reads by `kind`. An empty text means `instead`. */
export function emptyAs<T>(kind: Kind<T>, instead: string): Kind<T> {
  return {
    ...kind,
    read: (text) => kind.read(text === "" ? instead : text),
  };
}

/** Reads whole numbers in Go's syntax with any base: 0x1f, 0b11, 0o17, 017 and 1_000 as well. */
export function prefixed(kind: Kind<number>): Kind<number> {
  return {
    ...kind,
    read: (text) => {
      const [, sign = "", base = "", digits = ""] =
        /^([+-]?)(0x_?|0b_?|0o?_?)?([\da-f]+(?:_[\da-f]+)*)$/i.exec(text) ?? [];
      if (digits === "" || (base === "" && !digits.includes("_"))) return kind.read(text);
      const value = Number(
        `${literalPrefixes[base.toLowerCase().replace("_", "")] ?? ""}${digits.replaceAll("_", "")}`,
      );
      return kind.read(Number.isNaN(value) ? text : `${sign}${value}`);
    },
  };
}
const literalPrefixes: Readonly<Record<string, string>> = { "0x": "0x", "0b": "0b", "0o": "0o", "0": "0o" };

/** Reads one or more values that are separated by blanks. */
export function blankListOf<T>(item: Kind<T>): Kind<readonly T[]> {
  return {
    label: `a list separated by blanks, each ${item.label}`,
    longest: 2 * longestWord,
    read: (text) => {
      const parts = text.split(/\s+/).filter((part) => part !== "");
      if (parts.length === 0) return no("the list is empty");
      return readEach(item, parts);
    },
    write: (values) => values.map((value) => written(item, value)).join(" "),
    view: (values) => values.map(item.view),
  };
}

/** A text with more unreadable items was probably not meant as such a list. */
const mostUnreadable = 1_000;

/**
 * Reads a comma-separated list. Unreadable items are left out and reported in `besides`; a list
 * without a readable item is refused.
 */
export function lenientListOf<T>(item: Kind<T>): Kind<readonly T[]> {
  return {
    label: `a comma-separated list, each ${item.label}`,
    longest: longestText,
    read: (text) => {
      const parts = itemsIn(text);
      if (parts === undefined) return no(tooManyItems);
      const values: T[] = [];
      const whys: string[] = [];
      for (const part of parts) {
        const read = part === "" ? undefined : item.read(part);
        if (read?.ok === true) values.push(read.value);
        else if (read !== undefined) whys.push(read.why);
        if (whys.length > mostUnreadable) return no(`more than ${mostUnreadable} of its items cannot be read`);
      }
      if (whys.length === 0) return ok(values);
      const besides = joinedWhys(whys);
      return values.length === 0 ? no(besides) : { ok: true, value: values, besides };
    },
    write: (values) => values.map((value) => written(item, value)).join(","),
    view: (values) => values.map(item.view),
  };
}
