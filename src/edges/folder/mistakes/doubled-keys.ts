/**
 * Finds keys that a mapping has twice. YAML forbids them, but helm and other programs take the last
 * one.
 */
import type { Document } from "yaml";
import type { Place } from "../place.ts";

/** A key that its mapping already has. */
export interface DoubledKey {
  readonly name: string;
  /** The keys above it, without the numbers of items in lists. */
  readonly above: readonly string[];
  readonly first: Place;
  readonly place: Place;
}

/**
 * Finds the keys that their mapping already has, in the order of the text. The YAML reader would
 * compare each key with all before it, which takes minutes for half a megabyte of keys.
 */
export function doubledKeys(
  yaml: typeof import("yaml"),
  document: Document,
  placeAt: (offset: number) => Place,
): readonly (DoubledKey & { readonly offset: number })[] {
  const found: (DoubledKey & { readonly offset: number })[] = [];
  yaml.visit(document as Document.Parsed, {
    Map(_, map, outside) {
      const known = new Map<unknown, number>();
      for (const { key } of map.items) {
        if (!yaml.isScalar(key) || key.value === "<<") continue;
        const offset = key.range?.[0] ?? 0;
        const first = known.get(key.value);
        if (first === undefined) known.set(key.value, offset);
        else {
          const above = outside.flatMap((one) => (yaml.isPair(one) && yaml.isScalar(one.key) ? [one.key.value] : []));
          const name = String(key.value);
          found.push({ name, above: above.map(String), first: placeAt(first), place: placeAt(offset), offset });
        }
      }
    },
  });
  return found.sort((one, other) => one.offset - other.offset);
}

/** Says that a key occurs twice. */
export const doubledWords = ({ name, first }: DoubledKey): string =>
  `the key ${JSON.stringify(name)} occurs twice in one mapping, first in line ${first.line}`;

/** The most lines of further keys that a message lists. */
const mostLines = 8;

/** Completes a sentence about a file with such keys; `first` is the one at its place. */
export function doubledWhy([first, ...more]: readonly DoubledKey[]): string {
  const why = `${doubledWords(first!)}; remove one of them`;
  if (more.length === 0) return why;
  const lines = more.slice(0, mostLines).map(({ place }) => place.line);
  const rest = more.length > mostLines ? ` and ${more.length - mostLines} more` : "";
  return `${why}, and likewise in ${more.length === 1 ? "line" : "lines"} ${lines.join(", ")}${rest}`;
}
