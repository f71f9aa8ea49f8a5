/**
 * nginx's own grammar, as much as is needed to know what a snippet says: words, quotes, comments, `;` and `{ }`, and the
 * `*_by_lua_block`s, inside which Lua's quotes and comments count. Follows `ngx_conf_read_token` in nginx's
 * `src/core/ngx_conf_file.c`: a quote only opens at the start of a word, and `${` does not open a block.
 */

export interface Statement {
  readonly name: string;
  readonly args: readonly string[];
  /** The statements in its braces; a Lua block counts as empty. */
  readonly block?: readonly Statement[];
  readonly line: number;
  /** Where it begins in the whole text. */
  readonly from: number;
  /** As it is written, with its semicolon or braces. */
  readonly text: string;
}

export type Parsed =
  | { readonly ok: true; readonly statements: readonly Statement[] }
  | { readonly ok: false; readonly why: string };

/** The words that nginx sees in `text`, quotes taken off; undefined where it is more than words, or less. */
export function wordsIn(text: string): readonly string[] | undefined {
  const parsed = parse(`words ${text};`);
  const [statement, ...more] = parsed.ok ? parsed.statements : [];
  return statement === undefined || statement.block !== undefined || more.length > 0 ? undefined : statement.args;
}

class Mistake extends Error {}

/** The statements of `text`, or what is wrong with it. Every statement is closed inside `text`. */
export function parse(text: string): Parsed {
  try {
    const reader = new Reader(text);
    const statements = reader.statements();
    if (!reader.done()) throw new Mistake(`line ${reader.line()}: unexpected "}"`);
    return { ok: true, statements };
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, why: error.message };
    throw error;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  done(): boolean {
    return this.#at >= this.#text.length;
  }

  line(at = this.#at): number {
    return this.#text.slice(0, at).split("\n").length;
  }

  /** Up to the end of the text or to a `}` that this level did not open. */
  statements(): Statement[] {
    const found: Statement[] = [];
    for (this.#blanks(); !this.done() && this.#text[this.#at] !== "}"; this.#blanks()) found.push(this.#statement());
    return found;
  }

  #statement(): Statement {
    const line = this.line();
    const from = this.#at;
    const words: string[] = [];
    for (;;) {
      this.#blanks();
      const next = this.#text[this.#at];
      if (next === undefined)
        throw new Mistake(`line ${line}: ";" or "{" is missing after ${JSON.stringify(words.join(" "))}`);
      if (next === "}") throw new Mistake(`line ${this.line()}: "}" where ";" was expected`);
      if (next === ";" || next === "{") {
        const [name, ...args] = words;
        if (name === undefined) throw new Mistake(`line ${line}: unexpected "${next}"`);
        this.#at += 1;
        const block = next === ";" ? {} : { block: this.#block(name, line) };
        return { name, args, line, from, ...block, text: this.#text.slice(from, this.#at) };
      }
      words.push(this.#word());
    }
  }

  #block(name: string, line: number): readonly Statement[] {
    const statements = name.endsWith("_by_lua_block") ? this.#lua() : this.statements();
    if (this.#text[this.#at] !== "}") throw new Mistake(`line ${line}: the block of ${name} is not closed`);
    this.#at += 1;
    return statements;
  }

  #blanks(): void {
    this.#at += /^(?:\s+|#.*(?:\n|$))*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
  }

  #word(): string {
    const rest = this.#text.slice(this.#at);
    const quote = rest[0] === '"' || rest[0] === "'" ? rest[0] : undefined;
    const found = quote === undefined ? bare.exec(rest)?.[0] : quotes[quote].exec(rest)?.[0];
    if (found === undefined) throw new Mistake(`line ${this.line()}: a quote is not closed`);
    this.#at += found.length;
    if (quote === undefined) return unescaped(found);
    if (!/^(\s|[;{)]|$)/.test(this.#text.slice(this.#at))) {
      throw new Mistake(`line ${this.line()}: unexpected ${JSON.stringify(this.#text[this.#at])} after a quoted word`);
    }
    return unescaped(found.slice(1, -1));
  }

  /** Skips Lua code up to the brace that closes its block. */
  #lua(): readonly Statement[] {
    let depth = 0;
    for (;;) {
      const found = lua.exec(this.#text.slice(this.#at))?.[0];
      if (found === undefined) throw new Mistake("a block of Lua code is not closed");
      if (found === "}" && depth === 0) return [];
      depth += found === "{" ? 1 : found === "}" ? -1 : 0;
      this.#at += found.length;
    }
  }
}

const bare = /^(?:\\[\s\S]|\$\{|[^\s;{\\])+/;
const quotes = { '"': /^"(?:\\[\s\S]|[^"\\])*"/, "'": /^'(?:\\[\s\S]|[^'\\])*'/ };
const lua =
  /^(?:--\[(=*)\[[\s\S]*?\]\1\]|--[^\n]*|\[(=*)\[[\s\S]*?\]\2\]|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|[{}]|[^{}"'[-]+|[[-])/;

/** What nginx makes of the backslashes of a word. */
export function unescaped(word: string): string {
  const controls: Readonly<Record<string, string>> = { t: "\t", r: "\r", n: "\n" };
  return word.replace(/\\(["'\\trn])/g, (_, letter: string) => controls[letter] ?? letter);
}
