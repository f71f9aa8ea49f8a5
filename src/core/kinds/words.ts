/** Kinds for values from a fixed list, and for sizes. */
import { Token } from "../tokens/token.ts";
import { type Kind, no, ok, shown } from "./kind.ts";

const literals = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

/** The spellings that Go's strconv.ParseBool takes. */
export const bool: Kind<boolean> = {
  label: "true or false",
  read: (text) => {
    const value = literals.get(text);
    return value === undefined ? no(`${shown(text)} is neither true nor false`) : ok(value);
  },
  view: (value) => value,
};

/**
 * Reads one of `words`; blanks and line breaks around it are ignored. With `anyCase`, letter case
 * is ignored as well.
 */
export function oneOf<const W extends string>(words: readonly W[], { anyCase = false } = {}): Kind<W> {
  const fold = (text: string) => (anyCase ? text.toLowerCase() : text);
  const byText = new Map(words.map((word) => [fold(word), word]));
  return {
    label: `one of ${words.join(", ")}`,
    read: (text) => {
      const word = byText.get(fold(text.trim()));
      return word === undefined ? no(`${shown(text)} is not one of ${words.join(", ")}`) : ok(word);
    },
    view: (value) => Token.name(value),
  };
}

/**
 * An nginx size: digits and at most one unit letter. `b`, which ingress-nginx accepts and then
 * drops, is refused.
 */
export const size: Kind<string> = {
  label: "a size like 8k, 16m or 1g",
  read: (text) => (/^\d{1,15}[kmg]?$/i.test(text) ? ok(text) : no(`${shown(text)} is not a size like 8k, 16m or 1g`)),
  view: Token.size,
};
