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
import { stepsAnywhere } from "./pattern-bounds.ts";
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

interface Bound {
  readonly steps: number;
  readonly before: string;
  readonly sign?: string;
}

export class Token {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /**
   * Placeholders for parts that are known only when the rest of a text is known: its own hash, the
   * variables that it reads, and, before the name of a variable, whether the line that sets it is
   * needed. No other Token can print these characters.
   */
  static readonly gaps = { generation: new Token("\0"), variables: new Token("\u0001"), ifRead: new Token("\u0002") };

  /**
   * Returns `token` with a note for the source map. The note is removed before nginx.conf is
   * written.
   */
  static noted(token: Token, note: string): Token {
    return new Token(`${token}\u0003${encodeURIComponent(note)}\u0004`);
  }

  /**
   * Whether `raw` can be an nginx word at all. A Kind checks that before it accepts a text, so a
   * Token of any other text is a bug.
   */
  static printable(raw: string): boolean {
    return !unprintable.test(raw);
  }

  /** Literal text for a directive that evaluates variables: `$` stays a dollar sign. */
  static text(raw: string): Token {
    return new Token(quoted(raw).replaceAll("$", "${literal_dollar}"));
  }

  /** User text for the inside of a word whose quotes are written beside it. */
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
   * A value for a `map` to compare with. `default` and `include` have a meaning of their own there,
   * unless a backslash precedes them.
   */
  static mapKey(raw: string): Token {
    return Token.word(/^(?:default|include|hostnames|volatile)$|^[\\~]/.test(raw) ? `\\${raw}` : raw);
  }

  /**
   * A regular expression, where `$` anchors and the backslash belongs to the expression. Named
   * groups become numbered ones, because nginx would make variables of the names, for all hosts.
   */
  static pattern(raw: string): Token {
    const { text, mistake } = groupsOf(raw);
    if (mistake !== undefined) throw new TypeError(`${mistake}: ${JSON.stringify(raw)}`);
    return new Token(quoted(text));
  }

  /**
   * A tenant's pattern that nginx itself compares with the beginning of a text. PCRE gives up after
   * a number of steps, and nginx then answers with an error instead of trying the next pattern. The
   * group keeps all alternatives at the beginning: elsewhere PCRE would count anew at each place.
   */
  static boundedAtBeginning(raw: string, steps: number, ignoringCase = false): Token {
    return Token.#bounded(raw, { steps, before: `${ignoringCase ? "(?i)" : ""}^(?:` });
  }

  /**
   * A tenant's pattern that nginx itself looks for anywhere in a text. A longer text does not
   * match. PCRE would count its steps anew at each place where a match may begin, so the match
   * begins at the first character and skips others. `sign` is the `~` or `~*` that some directives
   * have before it.
   */
  static boundedAnywhere(raw: string, longest: number, sign: "" | "~" | "~*" = ""): Token {
    return Token.#bounded(raw, {
      steps: stepsAnywhere(longest),
      before: `^(?!(?s:.{${longest + 1}}))(?s:.*?)(?:`,
      sign,
    });
  }

  /** Does the same as `boundedAnywhere` for a text that begins with its `~` or `~*`. */
  static boundedWithSign(text: string, longest: number): Token {
    const sign = text.startsWith("~*") ? "~*" : "~";
    return Token.boundedAnywhere(text.slice(sign.length), longest, sign);
  }

  static #bounded(raw: string, { steps, before, sign = "" }: Bound): Token {
    return new Token(`"${sign}(*LIMIT_MATCH=${steps})${before}${String(Token.pattern(raw)).slice(1, -1)})"`);
  }

  /**
   * A pattern of Sluice's own, with a group named `name` between `before` and `after` that sets a
   * variable of Sluice's.
   */
  static patternNaming(name: string, before: string, group: string, after: string): Token {
    const inner = [before, group, after].map((part) => String(Token.pattern(part)).slice(1, -1));
    return new Token(`"${inner[0]}(?<${String(Token.variable(name)).slice(1)}>${inner[1]})${inner[2]}"`);
  }

  /**
   * Text in which the variables of `allowed` (names without `$`) are evaluated and every other `$`
   * is literal. A digit is a capture, whose name nginx does not accept in braces. `$request_uri`
   * stands for the path and query that the backend gets (`$origin_form` in templates/proxy.tmpl).
   */
  static variables(raw: string, allowed: (name: string) => boolean): Token {
    return Token.#evaluated(raw, allowed, (name) => (name === "request_uri" ? "origin_form" : name));
  }

  static #evaluated(
    raw: string,
    allowed: (name: string) => boolean,
    written: (name: string) => string = (name) => name,
  ): Token {
    const text = quoted(raw).replace(/\$(?:\{(\w+)\}|(\w+))?/g, (found, braced?: string, bare?: string) => {
      if (bare !== undefined && /^[1-9]/.test(bare) && allowed(bare.charAt(0))) return `$${bare}`;
      const name = braced ?? bare;
      return name !== undefined && allowed(name) ? `\${${written(name)}}` : `\${literal_dollar}${found.slice(1)}`;
    });
    return new Token(text);
  }

  /** Whether `raw` can be printed by `lines`. */
  static printableLines(raw: string): boolean {
    return !unprintable.test(raw.replace(/[\t\r\n]/g, ""));
  }

  /**
   * Text that may go over several lines: tabs and line breaks are written as nginx's `\t`, `\r` and
   * `\n`. With `allowed` as `variables`, without it as `word`.
   */
  static lines(raw: string, allowed?: (name: string) => boolean): Token {
    const print = (part: string) => (allowed === undefined ? Token.word(part) : Token.#evaluated(part, allowed));
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

  /** A variable in braces, for places where text follows directly. */
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

  /** Returns the text without some of its lines, each of which has to be a whole directive. */
  static withoutLines(token: Token, isLeftOut: (line: string) => boolean): Token {
    const kept = String(token)
      .split("\n")
      .filter((line) => !isLeftOut(line.trim()));
    return new Token(kept.join("\n"));
  }

  /** A permitted snippet as its author wrote it. This is the one deliberate exception. */
  static snippet(raw: string, _permit: Permit): Token {
    return new Token(raw);
  }

  /** The output of a compiled template for a View, which holds nothing but Tokens. */
  static rendered(template: (view: View) => string, view: View): Token {
    return new Token(template(view));
  }

  /** Returns the text that Handlebars prints for `{{token}}`. */
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
