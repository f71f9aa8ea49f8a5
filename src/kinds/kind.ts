/**
 * How one sort of value is read, shown and tested. Annotations, ConfigMap keys and flags are all declared with Kinds, so
 * a duration reads alike everywhere. Reading *is* the validation: no second checker can disagree with it.
 */
import type { View } from "../render/token.ts";

/**
 * `besides` says what was left out of a value that is usable without it; like `why`, it finishes the sentence "<key>: …".
 * What is `mild` is wrong, but ingress-nginx serves the Ingress without it: the fallback is used, whatever else the key does.
 */
export type Read<T> =
  | { readonly ok: true; readonly value: T; readonly besides?: string }
  | { readonly ok: false; readonly why: string; readonly mild?: true };

export interface Kind<T> {
  /** For people: "whole seconds, from 1". */
  readonly label: string;
  /** `why` finishes the sentence "<key>: …": what was found and what would be right. */
  readonly read: (text: string) => Read<T>;
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
  return JSON.stringify(cut).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
