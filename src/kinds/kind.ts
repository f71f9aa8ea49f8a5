/**
 * How one sort of value is read, shown and tested. Annotations, ConfigMap keys and flags are all
 * declared with Kinds, so a duration reads alike everywhere. Reading *is* the validation: no second
 * checker can disagree with it.
 */
import type { View } from "../directives/token.ts";
import { visible } from "../visible.ts";

/**
 * `besides` says what was left out of a value that is usable without it; like `why`, it finishes
 * the sentence "<key>: …". A `mild` mistake is one, but ingress-nginx serves the Ingress without
 * it: the fallback is used, whatever else the key does.
 */
export type Read<T> =
  | { readonly ok: true; readonly value: T; readonly besides?: string }
  | { readonly ok: false; readonly why: string; readonly mild?: true };

export interface Kind<T> {
  /** For people: "whole seconds, from 1". */
  readonly label: string;
  /** `why` finishes the sentence "<key>: …": what was found and what would be right. */
  readonly read: (text: string) => Read<T>;
  /** The most characters that `readValue` hands to `read`; `longestWord` when not given. */
  readonly longest?: number;
  /** How a person writes the value; as `String` does when not given. */
  readonly write?: (value: T) => string;
  /** How the value looks in nginx's configuration. */
  readonly view: (value: T) => View;
  /** Samples that the derived table tests feed to `read`. */
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

export const ok = <T>(value: T): Read<T> => ({ ok: true, value });
export const no = (why: string): Read<never> => ({ ok: false, why });

/** More than any single word has: nginx itself takes 4 KB in one word. */
export const longestWord = 16_384;

/**
 * For lists and snippets: all annotations of one object together have at most 256 KiB, so that
 * `kubectl apply` stores no more.
 */
export const longestText = 262_144;

/**
 * As `kind` reads it, where the text is no longer than such a value can be. The length is checked
 * before any pattern runs.
 */
export function readValue<T>(kind: Kind<T>, text: string): Read<T> {
  const { longest = longestWord } = kind;
  if (text.length <= longest) return kind.read(text);
  return no(`${shown(text)} has ${text.length} characters; at most ${longest} are taken`);
}

/**
 * `text` without the characters of `blanks` at both ends, in time that grows with its length alone.
 */
export function stripped(text: string, blanks = " \t"): string {
  let [from, to] = [0, text.length];
  while (from < to && blanks.includes(text[from]!)) from++;
  while (from < to && blanks.includes(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/**
 * The items of a comma-separated list without the blanks around them; undefined where there are
 * more than anybody writes.
 */
export function itemsIn(text: string): readonly string[] | undefined {
  const parts = text.split(",", mostItems + 1);
  return parts.length > mostItems ? undefined : parts.map((part) => part.trim());
}

/** `longestText` holds fewer addresses. */
const mostItems = 20_000;

export const tooManyItems = `the list has more than ${mostItems} items`;

/**
 * The mistakes in the parts of a list, as one clause: some of them, and how many more there are.
 */
export function joinedWhys(whys: readonly string[]): string {
  const more = whys.length - mostWhys;
  return whys.slice(0, mostWhys).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

const mostWhys = 10;

/** All of them; or what is wrong with the first that cannot be read. */
export function readEach<T>(item: Kind<T>, parts: readonly string[]): Read<readonly T[]> {
  const values: T[] = [];
  for (const part of parts) {
    const read = item.read(part);
    if (!read.ok) return read;
    values.push(read.value);
  }
  return ok(values);
}

/** `value` as a person writes it. */
export const written = <T>(kind: Kind<T>, value: T): string =>
  value === undefined ? "" : (kind.write?.(value) ?? String(value));

/** `text` as it stands in a sentence: quoted, control characters visible, cut at 60 characters. */
export function shown(text: string): string {
  const cut = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return visible(JSON.stringify(cut));
}
