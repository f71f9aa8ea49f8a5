/**
 * Parses nginx's configuration into a tree, for tests. A test of how nginx reads a text must not
 * use the code that wrote it, so this follows `ngx_conf_read_token` in nginx's
 * `src/core/ngx_conf_file.c` and uses no part of `src/core/kinds/grammar.ts`.
 */

export interface Directive {
  readonly name: string;
  /** The arguments without quotes, with backslashes read as nginx reads them. */
  readonly args: readonly string[];
  /** The statements in its braces; a block of Lua has none, and its code is `lua`. */
  readonly block?: readonly Directive[];
  readonly lua?: string;
}

const blank = /[ \t\r\n]/;

/** Parses the text. Throws if nginx would refuse it. */
export function treeOf(text: string): readonly Directive[] {
  const reader = new Reader(text);
  const tree = reader.block(true);
  return tree;
}

/**
 * Returns the words of a text that contains no end of a directive; undefined if it is not one or
 * more whole words.
 */
export function wordsOf(text: string): readonly string[] | undefined {
  try {
    const [only, ...more] = treeOf(`x ${text}\n;`);
    return only === undefined || more.length > 0 || only.block !== undefined ? undefined : only.args;
  } catch {
    return undefined;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  block(outermost: boolean): Directive[] {
    const found: Directive[] = [];
    for (;;) {
      const { words, end } = this.#statement();
      if (end === "}" && !outermost) return found;
      if (end === "eof" && outermost) return found;
      if (end === "}" || end === "eof") throw new Error(`unexpected ${end} at ${this.#at}`);
      const [name = "", ...args] = words;
      if (end === ";") found.push({ name, args });
      else if (/_by_lua_block$/.test(name)) found.push({ name, args, block: [], lua: this.#lua() });
      else found.push({ name, args, block: this.block(false) });
    }
  }

  /**
   * Reads words up to a `;`, `{` or `}`, or to the end of the text. The names of the states are
   * nginx's.
   */
  #statement(): { readonly words: readonly string[]; readonly end: ";" | "{" | "}" | "eof" } {
    const words: string[] = [];
    let start = this.#at;
    let [lastSpace, comment, quoted, needSpace, variable] = [true, false, false, false, false];
    let quote = "";
    for (; this.#at < this.#text.length; ) {
      const ch = this.#text[this.#at]!;
      this.#at += 1;
      if (comment) {
        comment = ch !== "\n";
        continue;
      }
      if (quoted) {
        quoted = false;
        continue;
      }
      if (needSpace) {
        if (blank.test(ch)) [lastSpace, needSpace] = [true, false];
        else if (ch === ";" || ch === "{") return { words, end: ch };
        else if (ch === ")") [lastSpace, needSpace] = [true, false];
        else throw new Error(`unexpected ${JSON.stringify(ch)} after a quoted word at ${this.#at}`);
        if (ch !== ")") continue;
      }
      if (lastSpace) {
        if (blank.test(ch)) continue;
        start = this.#at - 1;
        if (ch === ";" || ch === "{") {
          if (words.length === 0) throw new Error(`unexpected ${ch} at ${this.#at}`);
          return { words, end: ch };
        }
        if (ch === "}") {
          if (words.length > 0) throw new Error(`unexpected } at ${this.#at}`);
          return { words, end: ch };
        }
        if (ch === "#") comment = true;
        else lastSpace = false;
        if (ch === "\\") quoted = true;
        if (ch === "$") variable = true;
        if (ch === '"' || ch === "'") [quote, start] = [ch, this.#at];
        continue;
      }
      if (ch === "{" && variable) continue;
      variable = ch === "$";
      if (ch === "\\") quoted = true;
      if (variable || quoted) continue;
      const ends = quote === "" ? blank.test(ch) || ch === ";" || ch === "{" : ch === quote;
      if (!ends) continue;
      words.push(unescaped(this.#text.slice(start, this.#at - 1)));
      if (quote === "") lastSpace = true;
      else needSpace = true;
      const closed = quote === "";
      quote = "";
      if (closed && (ch === ";" || ch === "{")) return { words, end: ch };
    }
    if (words.length > 0 || !lastSpace) throw new Error("the text ends inside a directive");
    return { words, end: "eof" };
  }

  /**
   * Reads Lua up to the brace that closes its block. Braces in strings, long strings and comments
   * do not count.
   */
  #lua(): string {
    const start = this.#at;
    for (let depth = 1; ; ) {
      const ch = this.#text[this.#at];
      if (ch === undefined) throw new Error("a block of Lua is not closed");
      const long = /^(--)?\[(=*)\[/.exec(this.#text.slice(this.#at, this.#at + 20));
      if (long !== null) this.#skipTo(`]${long[2]}]`, long[0].length);
      else if (this.#text.startsWith("--", this.#at)) this.#skipTo("\n", 2);
      else if (ch === '"' || ch === "'") this.#luaString(ch);
      else this.#at += 1;
      if (ch === "{") depth += 1;
      if (ch === "}") depth -= 1;
      if (depth === 0) return this.#text.slice(start, this.#at - 1).trim();
    }
  }

  #skipTo(end: string, from: number): void {
    const found = this.#text.indexOf(end, this.#at + from);
    if (found < 0) throw new Error("a block of Lua is not closed");
    this.#at = found + end.length;
  }

  #luaString(quote: string): void {
    for (this.#at += 1; this.#text[this.#at] !== quote; this.#at += 1) {
      const ch = this.#text[this.#at];
      if (ch === undefined || ch === "\n") throw new Error("a string of Lua is not closed");
      if (ch === "\\") this.#at += 1;
    }
    this.#at += 1;
  }
}

function unescaped(word: string): string {
  let text = "";
  for (let at = 0; at < word.length; at += 1) {
    const next = word[at] === "\\" ? word[at + 1] : undefined;
    const meant = next === undefined ? undefined : { '"': '"', "'": "'", "\\": "\\", t: "\t", r: "\r", n: "\n" }[next];
    text += meant ?? word[at]!;
    if (meant !== undefined) at += 1;
  }
  return text;
}
