/**
 * Parses text by nginx's own grammar, as far as snippets need it: words, quotes, comments, `;` and
 * `{ }`, and the `*_by_lua_block`s, in which Lua's quotes and comments count. It follows
 * `ngx_conf_read_token` in nginx's `src/core/ngx_conf_file.c`: a quote only opens at the start of a
 * word, and `${` does not open a block. An untrusted author may have written the text, so reading
 * takes time in proportion to its length, and the nesting of blocks is limited.
 */
import { shown } from "./kind.ts";

export interface Statement {
  readonly name: string;
  readonly args: readonly string[];
  /** The statements in its braces; a Lua block counts as empty. */
  readonly block?: readonly Statement[];
  readonly line: number;
  /** Its offset in the whole text. */
  readonly from: number;
  /** Its text with the semicolon or braces. */
  readonly text: string;
}

export type Parsed =
  | { readonly ok: true; readonly statements: readonly Statement[] }
  | { readonly ok: false; readonly why: string };

/**
 * Returns the words that nginx sees in `text`, without quotes; undefined if it is not exactly
 * one list of words.
 */
export function wordsIn(text: string): readonly string[] | undefined {
  const parsed = parse(`words ${text};`);
  const [statement, ...more] = parsed.ok ? parsed.statements : [];
  return statement === undefined || statement.block !== undefined || more.length > 0 ? undefined : statement.args;
}

class Mistake extends Error {}

/** The deepest nesting of blocks; ordinary text has five levels at most. */
const deepest = 50;

/** nginx refuses a longer word. */
const longestOfNginx = 4_096;

/**
 * Returns the statements of `text`, or its mistake. Every statement must be closed inside `text`.
 */
export function parse(text: string): Parsed {
  try {
    const reader = new Reader(text);
    const statements = reader.statements();
    if (!reader.done()) throw new Mistake(`line ${reader.line()}: unexpected "}"${unopened(statements)}`);
    return { ok: true, statements };
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, why: error.message };
    throw error;
  }
}

const withBlocks: ReadonlySet<string> = new Set([
  "if",
  "location",
  "limit_except",
  "server",
  "upstream",
  "map",
  "geo",
  "types",
  "split_clients",
]);

/** Names the last statement that needs a block and has none, which is why a "}" is too much. */
function unopened(statements: readonly Statement[]): string {
  const found = statements.findLast(({ name, block }) => block === undefined && withBlocks.has(name));
  return found === undefined ? "" : `; the ${found.name} of line ${found.line} has no "{"`;
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  /** The line at the offset up to which lines were counted. */
  #line = 1;
  #lineEnd: number;
  /** Closing long brackets of Lua that do not occur behind some offset. */
  readonly #missing = new Set<string>();

  constructor(text: string) {
    this.#text = text;
    this.#lineEnd = this.#endBehind(0);
  }

  done(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Returns the line of the present position. */
  line(): number {
    for (; this.#lineEnd < this.#at; this.#line++) this.#lineEnd = this.#endBehind(this.#lineEnd + 1);
    return this.#line;
  }

  #endBehind(at: number): number {
    const end = this.#text.indexOf("\n", at);
    return end < 0 ? Number.POSITIVE_INFINITY : end;
  }

  /** Reads up to the end of the text, or to a `}` that this level did not open. */
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
        throw new Mistake(`line ${line}: ";" or "{" is missing after ${shown(words.slice(0, 60).join(" "))}`);
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
    if (this.#depth === deepest) throw new Mistake(`line ${line}: blocks are nested deeper than ${deepest}`);
    this.#depth += 1;
    const statements = name.endsWith("_by_lua_block") ? this.#lua() : this.statements();
    this.#depth -= 1;
    if (this.#text[this.#at] !== "}")
      throw new Mistake(`line ${line}: the block of ${name.slice(0, 60)} is not closed`);
    this.#at += 1;
    return statements;
  }

  #blanks(): void {
    this.#at += this.#found(blanks)?.length ?? 0;
  }

  #word(): string {
    const first = this.#text[this.#at];
    const quote = first === '"' || first === "'" ? first : undefined;
    const found = this.#found(quote === undefined ? bare : quotes[quote]);
    if (found === undefined) throw new Mistake(`line ${this.line()}: a quote is not closed`);
    if (found.length > longestOfNginx)
      throw new Mistake(`line ${this.line()}: ${shown(found)} is longer than ${longestOfNginx} characters`);
    this.#at += found.length;
    if (quote === undefined) return unescaped(found);
    const behind = this.#text[this.#at] ?? " ";
    if (!/[\s;{)]/.test(behind))
      throw new Mistake(`line ${this.line()}: unexpected ${JSON.stringify(behind)} after a quoted word`);
    return unescaped(found.slice(1, -1));
  }

  /** Skips Lua code up to the brace that closes its block. */
  #lua(): readonly Statement[] {
    let depth = 0;
    for (;;) {
      const found = this.#longBracket() ?? this.#found(lua);
      if (found === undefined) throw new Mistake("a block of Lua code is not closed");
      if (found === "}" && depth === 0) return [];
      depth += found === "{" ? 1 : found === "}" ? -1 : 0;
      this.#at += found.length;
    }
  }

  /** Reads a text or comment in long brackets, `[==[ … ]==]`, that begins here and is closed. */
  #longBracket(): string | undefined {
    const opening = this.#found(long);
    if (opening === undefined) return undefined;
    const closing = opening.replace("--", "").replaceAll("[", "]");
    // Without its end the opening is plain text. Only its last bracket may begin another opening.
    if (this.#missing.has(closing))
      return this.#found(brackets) ?? (opening.startsWith("-") ? undefined : opening.slice(0, -1));
    const end = this.#text.indexOf(closing, this.#at + opening.length);
    if (end >= 0) return this.#text.slice(this.#at, end + closing.length);
    this.#missing.add(closing);
    return undefined;
  }

  /** Returns the text that the sticky pattern matches at the present position. */
  #found(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }
}

const blanks = /(?:\s+|#.*(?:\n|$))*/y;
const bare = /(?:\\[\s\S]|\$\{|[^\s;{\\])+/y;
const quotes = { '"': /"(?:\\[\s\S]|[^"\\])*"/y, "'": /'(?:\\[\s\S]|[^'\\])*'/y };
const long = /(?:--)?\[=*\[/y;
const brackets = /\[+(?=\[)/y;
const lua = /--[^\n]*|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|[{}]|[^{}"'[-]+|[[-]/y;

/** Resolves the backslashes of a word as nginx does. */
export function unescaped(word: string): string {
  const controls: Readonly<Record<string, string>> = { t: "\t", r: "\r", n: "\n" };
  return word.replace(/\\(["'\\trn])/g, (_, letter: string) => controls[letter] ?? letter);
}
