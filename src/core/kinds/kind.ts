/**
 * A Kind defines how one sort of value is read and shown. Annotations, ConfigMap keys and
 * flags are all declared with Kinds, so a duration reads alike everywhere. Reading *is* the
 * validation: no second checker can disagree with it.
 */

import { visible } from "../../base/visible.ts";
import type { View } from "../tokens/token.ts";

/**
 * `besides` names parts that were left out of a value that is usable without them; like `why`, it
 * completes the sentence "<key>: …". A `mild` mistake is one with which ingress-nginx still serves
 * the Ingress: the fallback is used, whatever consequence the key has otherwise.
 */
export type Read<T> =
  | { readonly ok: true; readonly value: T; readonly besides?: string }
  | { readonly ok: false; readonly why: string; readonly mild?: true };

export interface Kind<T> {
  /** A description for people: "whole seconds, from 1". */
  readonly label: string;
  /** `why` completes the sentence "<key>: …": what was found and what would be right. */
  readonly read: (text: string) => Read<T>;
  /** The most characters that `readValue` passes to `read`; by default `longestWord`. */
  readonly longest?: number;
  /** Writes the value as a user would; the default is `String`. */
  readonly write?: (value: T) => string;
  /** Returns the value's form in nginx's configuration. */
  readonly view: (value: T) => View;
}

export const ok = <T>(value: T): Read<T> => ({ ok: true, value });
export const no = (why: string): Read<never> => ({ ok: false, why });

/** No single word is longer: nginx itself accepts 4 KB in one word. */
export const longestWord = 16_384;

/**
 * The limit for lists and snippets. All annotations of one object together have at most 256 KiB,
 * and `kubectl apply` stores no more.
 */
export const longestText = 262_144;

/**
 * Reads the text by `kind` if it is not longer than such a value can be. The length is checked
 * before any pattern runs.
 */
export function readValue<T>(kind: Kind<T>, text: string): Read<T> {
  const { longest = longestWord } = kind;
  if (text.length > longest) return no(`${shown(text)} has ${text.length} characters; at most ${longest} are taken`);
  const read = kind.read(text);
  const mistake = read.ok ? read.besides : read.why;
  const hint = mistake === undefined ? undefined : unfilled(text);
  if (hint === undefined) return read;
  return read.ok ? { ...read, besides: `${mistake}; ${hint}` } : { ...read, why: `${mistake}; ${hint}` };
}

/** Longer texts are snippets and certificates, where such characters mean something else. */
const longestUnfilled = 253;

/**
 * Returns, as a part of a sentence, the mistake in a text that a tool or its author should have
 * filled in. Variables of nginx have small letters, and `(?<name>` begins a group.
 */
export function unfilled(text: string): string | undefined {
  if (text.length > longestUnfilled || /[;\n]/.test(text)) return undefined;
  const [ofVault] = /<path:[^<>]+>/.exec(text) ?? [];
  if (ofVault !== undefined) return `a tool should have filled in ${ofVault} before, such as argocd-vault-plugin`;
  if (/(?<!\?)<\p{L}[^<>]*>/u.test(text))
    return "replace the angle brackets and their content with a value of your own";
  if (/\[[A-Z]{3}[A-Z _-]+\]|\[[A-Z]{2,} [A-Z ]+\]/.test(text))
    return "replace the square brackets and their content with a value of your own";
  const [crosses] = /(?<![\w.])X{2,}(?:[./]X{2,}){2,}(?![\w.])/.exec(text) ?? [];
  if (crosses !== undefined) return `replace ${crosses} with a value of your own`;
  if (/\{\{|\[\[-? *\./.test(text)) return "this is a template, which has to be rendered before";
  const [reference] = /\$\{[a-z]\w*\.[^{}]*\}/.exec(text) ?? [];
  if (reference !== undefined) return `a tool should have filled in ${reference} before, such as Terraform`;
  const [token] =
    /#\{[\w.-]+\}#?|\$\([A-Za-z][\w.-]*\)|__[A-Z][A-Z0-9_]*?__|%[A-Z][A-Z_]{2,}%|[A-Z0-9_]*PLACEHOLDER[A-Z0-9_]*/.exec(
      text,
    ) ?? [];
  if (token !== undefined) return `a tool should have filled in ${token} before`;
  const [variable] = /\$\{[A-Z_][^{}]*\}|\$[A-Z][A-Z0-9_]+/.exec(text) ?? [];
  return variable && `a tool should have filled in ${variable} before, such as envsubst`;
}

/** Removes the characters of `blanks` at both ends of `text`, in linear time. */
export function stripped(text: string, blanks = " \t"): string {
  let [from, to] = [0, text.length];
  while (from < to && blanks.includes(text[from]!)) from++;
  while (from < to && blanks.includes(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/**
 * Returns the items of a comma-separated list without the blanks around them. Returns undefined
 * if there are more than `mostItems`.
 */
export function itemsIn(text: string): readonly string[] | undefined {
  const parts = text.split(",", mostItems + 1);
  return parts.length > mostItems ? undefined : parts.map((part) => part.trim());
}

/** A text of `longestText` characters has fewer addresses. */
const mostItems = 20_000;

export const tooManyItems = `the list has more than ${mostItems} items`;

/**
 * Returns the mistakes in the parts of a list as one clause: some of them, and the number of the
 * others.
 */
export function joinedWhys(whys: readonly string[]): string {
  const more = whys.length - mostWhys;
  return whys.slice(0, mostWhys).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

const mostWhys = 10;

/** Returns all values, or the mistake in the first one that cannot be read. */
export function readEach<T>(item: Kind<T>, parts: readonly string[]): Read<readonly T[]> {
  const values: T[] = [];
  for (const part of parts) {
    const read = item.read(part);
    if (!read.ok) return read;
    values.push(read.value);
  }
  return ok(values);
}

/** Returns `value` as a user would write it. */
export const written = <T>(kind: Kind<T>, value: T): string =>
  value === undefined ? "" : (kind.write?.(value) ?? String(value));

/**
 * Returns `text` for use in a sentence: quoted, control characters visible, cut at 60 characters.
 */
export function shown(text: string): string {
  const cut = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return visible(JSON.stringify(cut));
}
