/**
 * The declaration of a chart value: its path, its allowed content, its effect, and the comparison
 * with ingress-nginx's chart 4.15.1. values.yaml, values.schema.json, the list for NOTES.txt and
 * docs/chart-values.md are made from these declarations, so the chart refuses an undeclared value
 * as a typing mistake.
 */
import type { Shape } from "./shape.ts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * The relation of the value to the same path in ingress-nginx's chart. `own` is a value that only
 * Sluice has.
 */
export type Fate =
  | { readonly kind: "same" }
  | { readonly kind: "differs"; readonly how: string }
  | { readonly kind: "no-meaning"; readonly why: string }
  | { readonly kind: "own" };

export interface ChartValue {
  /** Keys joined by dots, as `--set` takes them. */
  readonly path: string;
  /**
   * The default; undefined if the key is unset. For a value without an effect it is
   * ingress-nginx's default, for which NOTES.txt prints nothing.
   */
  readonly fallback: Json | undefined;
  readonly shape: Shape;
  readonly does: string;
  readonly fate: Fate;
}

/**
 * Declares values below one path, so that a file reads as a list. The empty prefix is the top of
 * the values file.
 */
export function section(prefix: string) {
  const at = (key: string) => (prefix === "" ? key : `${prefix}.${key}`);
  const declare =
    (fate: (note: string) => Fate) =>
    (key: string, fallback: Json | undefined, shape: Shape, does: string, note = ""): ChartValue => ({
      path: at(key),
      fallback,
      shape,
      does,
      fate: fate(note),
    });
  return {
    same: declare(() => ({ kind: "same" })),
    own: declare(() => ({ kind: "own" })),
    /** The last argument is the difference from ingress-nginx's value. */
    differs: declare((how) => ({ kind: "differs", how })),
    /** An accepted value that NOTES.txt names; `why` is a sentence for people. */
    noMeaning: (key: string, theirs: Json | undefined, shape: Shape, why: string): ChartValue => ({
      path: at(key),
      fallback: theirs,
      shape,
      does: "",
      fate: { kind: "no-meaning", why },
    }),
  };
}
