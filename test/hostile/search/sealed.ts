/**
 * Renders the intended tree: the same Configuration with every quoted value sealed, so that a
 * placeholder stands where its text would. That tree has no text of a user, so its blocks and
 * directives are those of the templates. With each placeholder replaced by its text, it must equal
 * the tree that was really rendered.
 */
import { Token } from "../../../src/core/tokens/token.ts";
import { wordsOf } from "../../support/nginx-tree.ts";

export interface Seals {
  /** The text a placeholder stands for, as nginx reads it. */
  meaning(placeholder: string): string;
  /** The text a placeholder stands for, as it was written. */
  written(placeholder: string): string;
  /** Quoted values that are not exactly one word: each is a hole. */
  readonly broken: readonly string[];
  readonly count: number;
}

export const placeholders = /SEALED\d+S/g;

/**
 * Only what `render` does is sealed; it must not share remembered Tokens with a rendering before
 * it.
 */
export function sealed<T>(render: () => T): { readonly value: T; readonly seals: Seals } {
  const texts: string[] = [];
  const known = new Map<string, string>();
  const broken: string[] = [];
  const { toHTML: html, toString: plain } = Token.prototype;
  const seal = (text: string): string => {
    if (!text.startsWith('"') || isSealed(text)) return text;
    const before = known.get(text);
    if (before !== undefined) return before;
    if (wordsOf(text)?.length !== 1) {
      broken.push(text);
      return text;
    }
    const placeholder = `"SEALED${texts.length}S"`;
    texts.push(text);
    known.set(text, placeholder);
    return placeholder;
  };
  try {
    Token.prototype.toHTML = function (this: Token) {
      return seal(html.call(this));
    };
    Token.prototype.toString = function (this: Token) {
      return seal(plain.call(this));
    };
    const value = render();
    const written = (placeholder: string): string =>
      texts[Number(placeholder.slice(6, -1))]!.replace(placeholders, (inner) => written(inner).slice(1, -1));
    const meaning = (placeholder: string): string => wordsOf(written(placeholder))?.[0] ?? "";
    return { value, seals: { meaning, written, broken, count: texts.length } };
  } finally {
    Token.prototype.toHTML = html;
    Token.prototype.toString = plain;
  }
}

/** Placeholders with blanks between them, or other text around them. */
function isSealed(text: string): boolean {
  return /^"SEALED\d+S"/.test(text);
}
