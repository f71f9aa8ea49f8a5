/**
 * Text on its way into nginx's configuration. A Token is made by a constructor for its meaning, and
 * nothing else reaches a template (`View` has no string in it), so a value of a user cannot end a
 * directive, open a block or start a comment.
 *
 * nginx reads a word in double quotes up to the next `"` that no backslash precedes, and takes `\\`
 * and `\"` for the characters themselves (its `src/core/ngx_conf_file.c`). Whether `$` starts a
 * variable is up to the directive, not to the quotes: `text` is for directives that evaluate
 * variables, `word` for those that take the text as it stands.
 */
import { groupsOf } from "./pattern-groups.ts";

/** Everything a template can see. */
export type View = Token | boolean | readonly View[] | { readonly [name: string]: View };

/** Proof that the operator allowed snippets; only `settings/` makes one. */
export interface Permit {
  readonly snippets: true;
}

/**
 * Characters that no nginx word may hold, quoted or not: control characters, line separators and
 * unpaired surrogates.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

const controls: Readonly<Record<string, string>> = { "\t": "\\t", "\r": "\\r", "\n": "\\n" };

/**
 * Steps of PCRE that one pattern of a tenant gets for one comparison; a step takes some
 * nanoseconds.
 */
const usualSteps = 100_000;

export class Token {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /**
   * Hold the places of what is known only when the rest of a text is: its own hash, the variables
   * that it reads, and before the name of a variable whether the line that sets it is needed. No
   * other Token can print the same.
   */
  static readonly gaps = { generation: new Token("\0"), told: new Token("\u0001"), ifRead: new Token("\u0002") };

  /**
   * The same text with a note behind it for the source map, which takes the note out of nginx.conf
   * again.
   */
  static noted(token: Token, note: string): Token {
    return new Token(`${token}\u0003${encodeURIComponent(note)}\u0004`);
  }

  /**
   * Whether `raw` can be an nginx word at all. A Kind asks before it accepts; a Token of anything
   * else is a bug.
   */
  static printable(raw: string): boolean {
    return !unprintable.test(raw);
  }

  /** Literal text for a directive that evaluates variables: `$` stays a dollar sign. */
  static text(raw: string): Token {
    return new Token(quoted(raw).replaceAll("$", "${literal_dollar}"));
  }

  /** The same for the inside of a word whose quotes are written beside it. */
  static within(raw: string): Token {
    return new Token(String(Token.text(raw)).slice(1, -1));
  }

  /**
   * Literal text for a directive that does not evaluate variables: a path, a file name, an address.
   */
  static word(raw: string): Token {
    return new Token(quoted(raw));
  }

  /**
   * A value that a `map` compares with: `default` and `include` mean something else there unless a
   * backslash precedes them.
   */
  static mapKey(raw: string): Token {
    return Token.word(/^(?:default|include|hostnames|volatile)$|^[\\~]/.test(raw) ? `\\${raw}` : raw);
  }

  /**
   * A regular expression, where `$` anchors and the backslash belongs to the expression. Names of
   * groups become their numbers: nginx would make variables of them, for everybody.
   */
  static pattern(raw: string): Token {
    const { text, mistake } = groupsOf(raw);
    if (mistake !== undefined) throw new TypeError(`${mistake}: ${JSON.stringify(raw)}`);
    return new Token(quoted(text));
  }

  /**
   * A pattern of a tenant that nginx itself runs: PCRE gives up after so many steps, and nginx
   * answers the request with an error in place of trying the next pattern. `sign` is the `~` or
   * `~*` that some directives have before it.
   */
  static bounded(raw: string, steps: number = usualSteps, sign: "" | "~" | "~*" = ""): Token {
    return new Token(`"${sign}(*LIMIT_MATCH=${steps})${String(Token.pattern(raw)).slice(1)}`);
  }

  /** As `bounded`, for a text that begins with its `~` or `~*`. */
  static boundedWithSign(text: string, steps?: number): Token {
    const sign = text.startsWith("~*") ? "~*" : "~";
    return Token.bounded(text.slice(sign.length), steps, sign);
  }

  /**
   * A pattern of Sluice's own, in which a group named `name` stands between `before` and `after`,
   * and sets a variable of Sluice's.
   */
  static patternNaming(name: string, before: string, group: string, after: string): Token {
    const inner = [before, group, after].map((part) => String(Token.pattern(part)).slice(1, -1));
    return new Token(`"${inner[0]}(?<${String(Token.variable(name)).slice(1)}>${inner[1]})${inner[2]}"`);
  }

  /**
   * Text in which the variables of `allowed` (names without `$`) are evaluated, and every other `$`
   * is literal. A digit is the name of a capture, which nginx does not take in braces.
   */
  static variables(raw: string, allowed: (name: string) => boolean): Token {
    const text = quoted(raw).replace(/\$(?:\{(\w+)\}|(\w+))?/g, (found, braced?: string, bare?: string) => {
      if (bare !== undefined && /^[1-9]/.test(bare) && allowed(bare.charAt(0))) return `$${bare}`;
      const name = braced ?? bare;
      return name !== undefined && allowed(name) ? `\${${name}}` : `\${literal_dollar}${found.slice(1)}`;
    });
    return new Token(text);
  }

  /** Whether `raw` can be printed as `lines`. */
  static printableLines(raw: string): boolean {
    return !unprintable.test(raw.replace(/[\t\r\n]/g, ""));
  }

  /**
   * Text that may go over several lines: tabs and line breaks are written as nginx's `\t`, `\r` and
   * `\n`. With `allowed` as `variables`, without it as `word`.
   */
  static lines(raw: string, allowed?: (name: string) => boolean): Token {
    const print = (part: string) => (allowed === undefined ? Token.word(part) : Token.variables(part, allowed));
    const parts = raw.split(/([\t\r\n])/).map((part) => controls[part] ?? String(print(part)).slice(1, -1));
    return new Token(`"${parts.join("")}"`);
  }

  /**
   * The replacement of a `rewrite`: groups `$1` to `$9` and the variables of `allowed` are
   * evaluated.
   */
  static rewriteTarget(raw: string, allowed: (name: string) => boolean): Token {
    return Token.variables(raw, (name) => /^[1-9]$/.test(name) || allowed(name));
  }

  /** A whole number. */
  static count(value: number): Token {
    if (!Number.isSafeInteger(value)) throw new TypeError(`not a whole number: ${value}`);
    return new Token(String(value));
  }

  /** A time in whole seconds. */
  static seconds(value: number): Token {
    return new Token(`${Token.count(value)}s`);
  }

  /** A size as nginx writes it: digits and at most one of k, m, g. */
  static size(value: string): Token {
    if (!/^\d+[kmg]?$/i.test(value)) throw new TypeError(`not a size: ${JSON.stringify(value)}`);
    return new Token(value);
  }

  /**
   * A plain word of letters, digits and `_ - . : / @ + =`, unquoted: enumerated values, names made
   * by Sluice, addresses.
   */
  static name(value: string): Token {
    if (!/^[\w.:/@+=[\]-]+$/.test(value)) throw new TypeError(`not a plain word: ${JSON.stringify(value)}`);
    return new Token(value);
  }

  /** A reference to a variable that Sluice itself declares. */
  static variable(name: string): Token {
    if (!/^\w+$/.test(name)) throw new TypeError(`not a variable name: ${JSON.stringify(name)}`);
    return new Token(`$${name}`);
  }

  /** The same where text may follow at once. */
  static bracedVariable(name: string): Token {
    return new Token(`\${${String(Token.variable(name)).slice(1)}}`);
  }

  /** Several words, separated by blanks. */
  static words(tokens: readonly Token[]): Token {
    return new Token(tokens.map(String).join(" "));
  }

  /**
   * nginx text written in Sluice's own source: the template's constant parts, with Tokens between
   * them.
   */
  static conf(constant: TemplateStringsArray, ...tokens: readonly Token[]): Token {
    return new Token(String.raw({ raw: constant.raw }, ...tokens.map(String)));
  }

  /** A permitted snippet, as its author wrote it: the one deliberate hole. */
  static snippet(raw: string, _permit: Permit): Token {
    return new Token(raw);
  }

  /** The output of a compiled template for a View, in which there is nothing but Tokens. */
  static rendered(template: (view: View) => string, view: View): Token {
    return new Token(template(view));
  }

  /** The text that Handlebars prints for `{{token}}`. */
  toHTML(): string {
    return this.#text;
  }

  toString(): string {
    return this.#text;
  }
}

function quoted(raw: string): string {
  if (!Token.printable(raw)) throw new TypeError(`control character in ${JSON.stringify(raw)}`);
  return `"${raw.replace(/[\\"]/g, "\\$&")}"`;
}
