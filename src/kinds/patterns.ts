/**
 * Patterns that nginx compares a value with in a `map`: a text, `~` and a regular expression, or `~*` and one that takes
 * any letter case. nginx takes a text in any letter case too (RS-32.21).
 */
import { Token } from "../render/token.ts";
import { type Kind, no, ok, shown } from "./kind.ts";

/** Words that mean something else at the start of a line of a `map`. */
const reserved = new Set(["default", "hostnames", "include", "volatile"]);

/**
 * What is wrong with a Perl regular expression, or undefined. Only what surely does not compile is found: brackets that do
 * not pair, a quantifier with nothing before it, a backslash at the end. nginx has the last word.
 */
export function regexMistake(pattern: string): string | undefined {
  const atoms = pattern
    .replace(/\\Q.*?(\\E|$)/gs, "q")
    .replace(/\\[\s\S]/g, "e")
    .replace(/\[\^?\]?(?:\[:\^?\w+:\]|[^\]])*\]/g, "c");
  if (atoms.endsWith("\\")) return "it ends in a backslash";
  if (atoms.includes("[")) return 'a "[" is not closed';
  let depth = 0;
  for (const bracket of atoms.replace(/[^()]/g, "")) {
    depth += bracket === "(" ? 1 : -1;
    if (depth < 0) return 'a ")" has no "("';
  }
  if (depth > 0) return 'a "(" is not closed';
  const inside = atoms
    .replace(/\(\?#[^)]*\)/g, "")
    .replace(/\(\*\w+\)/g, "")
    .replace(/\(\?/g, "(");
  if (/(^|[(|])[*+?](?!\))/.test(inside.replace(/\([<!=:>|a-zA-Z'-]/g, "(a")))
    return "a quantifier has nothing to repeat";
  return misnumbered(pattern.replace(/\\Q.*?(\\E|$)/gs, "q"));
}

const posixClasses = /^(alpha|lower|upper|alnum|ascii|blank|cntrl|digit|graph|print|punct|space|word|xdigit)$/;

/** Numbers and names that fit nothing: a range that runs backwards, a group that there is none of. */
function misnumbered(pattern: string): string | undefined {
  const stranger = [...pattern.matchAll(/\[:\^?(\w+):\]/g)].find(([, name]) => !posixClasses.test(name!));
  if (stranger !== undefined) return `there is no class ${stranger[0]}`;
  const plain = pattern.replace(/\[:\^?\w+:\]/g, "");
  const bounds = [...plain.matchAll(/(?<!\\)\{(\d+)(?:,(\d+))?\}/g)];
  for (const [text, least, most] of bounds) {
    if (most !== undefined && Number(most) < Number(least)) return `the numbers of ${text} are out of order`;
    if (Number(most ?? least) > 65_535) return `${text} is more than 65535`;
  }
  for (const [set] of plain.matchAll(/(?<!\\)\[\^?\]?(?:\\.|[^\]\\])*\]/g)) {
    const range = [...set.matchAll(/(\w)-(\w)/g)].find(([, first, last]) => first! > last! && !set.includes("\\"));
    if (range !== undefined) return `the range ${range[0]} is out of order`;
  }
  const atoms = plain.replace(/(?<!\\)\[\^?\]?(?:\\.|[^\]\\])*\]/g, "c");
  const names = [...atoms.matchAll(/\(\?(?:P?<|')([a-z_]\w*)/gi)].map(([, name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `two groups are named ${twice}`;
  const groups = [...atoms.replace(/\\[^1-9]/g, "").matchAll(/\((?!\?|\*)/g)].length + names.length;
  const reference = [...atoms.replace(/\\[^1-9]/g, "").matchAll(/\\([1-9])(?!\d)/g)].find(
    ([, number]) => Number(number) > groups,
  );
  return reference === undefined ? undefined : `there is no group for ${reference[0]}`;
}

export const mapPattern: Kind<string> = {
  label: "a text, ~ and a regular expression, or ~* and one that takes any letter case",
  read: (text) => {
    if (text === "") return no("the pattern is empty");
    if (!Token.printable(text)) return no(`${shown(text)} has a control character`);
    if (text.length > 1000) return no(`${shown(text)} is longer than 1000 characters`);
    if (!text.startsWith("~")) return ok(text);
    const pattern = text.replace(/^~\*?/, "");
    if (pattern === "") return no(`${shown(text)} is an empty regular expression`);
    const mistake = regexMistake(pattern);
    return mistake === undefined ? ok(text) : no(`${shown(text)} is not a regular expression: ${mistake}`);
  },
  view: (value) => {
    const special = value.startsWith("\\") || reserved.has(value);
    return value.startsWith("~") ? Token.pattern(value) : Token.word(special ? `\\${value}` : value);
  },
  good: ["curl/8.0", "~^Old[0-9]+$", "~*(bot|spider)", "default", "\\", 'a "b" {', "$host"],
  bad: ["", "~", "~*", "~(", "~a)", "~[a", "~*+a", "~a\\", "a\nb"],
};

/** A regular expression for a directive that takes nothing else. */
export const regex: Kind<string> = {
  label: "a regular expression",
  read: (text) => {
    if (text === "") return no("the pattern is empty");
    if (!Token.printable(text) || text.length > 1000)
      return no(`${shown(text)} is too long or has a control character`);
    const mistake = regexMistake(text);
    return mistake === undefined ? ok(text) : no(`${shown(text)} is not a regular expression: ${mistake}`);
  },
  view: Token.pattern,
  good: ["Old[0-9]+", "msie[4-6]\\.", "(?i)bot|spider", "^(a(b)?c)$"],
  bad: ["", "(", "[a", "*a", "a\\", "a\nb"],
};
