/**
 * Removes the names of groups from a Perl regular expression. nginx makes a variable of each named
 * group, for all hosts at once, which replaces an earlier variable of that name. A named group is
 * also a numbered one, so `(?<x>a)(b)` and `(a)(b)` have the same numbers, and references to a name
 * can become references to its number.
 */

export interface Groups {
  /** The pattern with numbers in place of names. */
  readonly text: string;
  /** The number that each name stands for. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The reason why the names cannot be removed; undefined if they can. */
  readonly mistake: string | undefined;
}

const noNumbers: ReadonlyMap<string, number> = new Map();

/** A pattern without any of these spellings, even in a comment or a class, has no named group. */
const spelling = /\(\?(?:P?<(?![=!])|')/;

export function groupsOf(pattern: string): Groups {
  if (!spelling.test(pattern)) return { text: pattern, numbers: noNumbers, mistake: undefined };
  const reader = new Reader(pattern);
  const { text, mistake } = reader.read();
  const left = spelling.test(text) ? "it names a group where no group can stand" : undefined;
  return { text, numbers: reader.numbers, mistake: mistake ?? left };
}

/** Replaces the names of the pattern's groups in `text`, `$name` or `${name}`, by `$1` to `$9`. */
export function numbered(text: string, pattern: string): string {
  if (!text.includes("$")) return text;
  const { numbers } = groupsOf(pattern);
  if (numbers.size === 0) return text;
  return text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (found, braced?: string, bare?: string) => {
    const number = numbers.get(braced ?? bare ?? "");
    return number === undefined || number > 9 ? found : `$${number}`;
  });
}

interface Open {
  /** In a branch reset: the number before its first group, and the highest number of a branch. */
  readonly reset?: { readonly from: number; most: number };
}

/** A part of the pattern that refers to a name, which may be defined later. */
interface Reference {
  readonly name: string;
  readonly written: string;
  readonly by: (number: number) => string;
}

// The search for an end has a limit, so that a pattern of nothing but beginnings is read in one
// pass.
const sticky = (source: string) => new RegExp(source, "y");
const literal = sticky("\\\\Q([\\s\\S]*?)(?:\\\\E|$)");
const backward = sticky(
  "\\\\k(?:<([A-Za-z_]\\w*)>|'([A-Za-z_]\\w*)'|\\{([A-Za-z_]\\w*)\\})|\\\\g\\{([A-Za-z_]\\w*)\\}",
);
const subroutine = sticky("\\\\g(?:<([A-Za-z_]\\w*)>|'([A-Za-z_]\\w*)')");
const named = sticky("\\(\\?(?:P?<([^>=!)(]{1,1000})>|'([^')(]{1,1000})')");
const equal = sticky("\\(\\?P=(\\w+)\\)");
const call = sticky("\\(\\?(?:P>|&)(\\w+)\\)");
const condition = sticky("\\(\\?\\((R&)?(?:<(\\w+)>|'(\\w+)'|([A-Za-z_]\\w*))\\)");
const otherCondition = sticky("\\(\\?\\((?![?*])[^)]{0,1000}\\)");
const options = sticky("\\(\\?\\^?([A-Za-z]*)(?:-[A-Za-z]*)?[:)]");
const comment = sticky("\\(\\?#[^)]{0,1000}\\)");
const verb = sticky("\\(\\*[A-Z][^)]{0,1000}\\)");

class Reader {
  readonly numbers = new Map<string, number>();
  readonly #pattern: string;
  readonly #pieces: (string | Reference)[] = [];
  readonly #open: Open[] = [];
  #at = 0;
  #count = 0;
  #extended = false;
  #mistake: string | undefined;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): { readonly text: string; readonly mistake: string | undefined } {
    while (this.#at < this.#pattern.length) this.#step();
    const text = this.#pieces.map((piece) => (typeof piece === "string" ? piece : this.#textOf(piece))).join("");
    return { text, mistake: this.#mistake };
  }

  #step(): void {
    const sign = this.#pattern[this.#at]!;
    if (sign === "\\") this.#escape();
    else if (sign === "[") this.#class();
    else if (sign === "(") this.#group();
    else this.#single(sign);
  }

  #single(sign: string): void {
    const top = this.#open.at(-1)?.reset;
    if (sign === "|" && top !== undefined) {
      top.most = Math.max(top.most, this.#count);
      this.#count = top.from;
    }
    if (sign === ")") {
      if (top !== undefined) this.#count = Math.max(top.most, this.#count);
      this.#open.pop();
    }
    if (sign === "#" && this.#extended) this.#mistake ??= "it has a comment beside a named group";
    this.#take(1);
  }

  #escape(): void {
    const quoted = this.#match(literal);
    const back = quoted ?? this.#match(backward);
    const into = back ?? this.#match(subroutine);
    if (quoted !== undefined) this.#pieces.push(verbatim(quoted[1]!));
    else if (back !== undefined) this.#refer(back, (number) => `\\g{${number}}`);
    else if (into !== undefined) this.#refer(into, (number) => `(?${number})`);
    // `\c(` is one character.
    else this.#take(this.#pattern[this.#at + 1] === "c" ? 3 : 2);
  }

  /**
   * Skips a class. A `]` at the first place is a member, and so is the text between `[:` and `:]`.
   */
  #class(): void {
    const [opening] = this.#match(/\[\^?\]?/y)!;
    let members = opening;
    while (this.#at < this.#pattern.length) {
      const quoted = this.#match(literal);
      const member = quoted ?? this.#match(/\[:\^?\w+:\]|\\c[\s\S]?|\\[\s\S]?|[\s\S]/y)!;
      members += quoted === undefined ? member[0] : verbatim(quoted[1]!);
      if (member[0] === "]") break;
    }
    // An escape keeps later steps from reading `(?` in a class as the beginning of a group.
    this.#pieces.push(members.replaceAll("(?", "(\\?"));
  }

  #group(): void {
    const found = this.#firstOf(named, equal, call, comment, verb, condition, otherCondition);
    if (found === undefined) this.#plain();
    else if (found.by === named) this.#named((found.words[1] ?? found.words[2])!);
    else if (found.by === equal) this.#refer(found.words, (number) => `\\g{${number}}`);
    else if (found.by === call) this.#refer(found.words, (number) => `(?${number})`);
    else if (found.by === comment) this.#pieces.push("(?#)");
    else if (found.by === verb) this.#pieces.push(found.words[0]);
    else if (found.by === condition) this.#condition(found.words);
    else {
      this.#open.push({});
      this.#pieces.push(found.words[0]);
    }
  }

  #named(name: string): void {
    this.#count += 1;
    const known = this.numbers.get(name);
    if (known !== undefined && known !== this.#count) this.#mistake ??= `two groups are named ${name}`;
    this.numbers.set(name, known ?? this.#count);
    this.#open.push({});
    this.#pieces.push("(");
    if (/[?*]/.test(this.#pattern[this.#at] ?? "")) this.#mistake ??= "a quantifier has nothing to repeat";
  }

  /**
   * Rewrites a condition on a group. `(R)` and `(DEFINE)` have their own meaning where no group has
   * that name.
   */
  #condition([whole, inside = "", ...names]: readonly (string | undefined)[]): void {
    this.#open.push({});
    const name = names.find((one) => one !== undefined)!;
    this.#pieces.push({ name, written: whole!, by: (number) => `(?(${inside === "" ? "" : "R"}${number})` });
  }

  #plain(): void {
    const set = this.#match(options);
    if (set !== undefined) {
      this.#extended ||= set[1]!.includes("x");
      if (set[1]!.includes("n")) this.#mistake ??= "it has the option n beside a named group";
      if (set[0].endsWith(":")) this.#open.push({});
      this.#pieces.push(set[0]);
      return;
    }
    const next = this.#pattern[this.#at + 1];
    const isReset = next === "?" && this.#pattern[this.#at + 2] === "|";
    if (next !== "?" && next !== "*") this.#count += 1;
    this.#open.push(isReset ? { reset: { from: this.#count, most: this.#count } } : {});
    this.#take(isReset ? 3 : 1);
  }

  #refer([written, ...names]: readonly (string | undefined)[], by: Reference["by"]): void {
    this.#pieces.push({ name: names.find((one) => one !== undefined)!, written: written!, by });
  }

  #textOf({ name, written, by }: Reference): string {
    const number = this.numbers.get(name);
    return number === undefined ? written : by(number);
  }

  #take(length: number): void {
    this.#pieces.push(this.#pattern.slice(this.#at, this.#at + length));
    this.#at += length;
  }

  #firstOf(...expressions: readonly RegExp[]): { readonly by: RegExp; readonly words: RegExpExecArray } | undefined {
    for (const by of expressions) {
      const words = this.#match(by);
      if (words !== undefined) return { by, words };
    }
    return undefined;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}

/** Returns the text between `\Q` and `\E`, character by character. */
function verbatim(text: string): string {
  return text.replace(/[^\w\u0080-\uffff]/g, "\\$&");
}
