/**
 * Kinds for patterns with which nginx compares a value in a `map`: a text, `~` and a regular
 * expression, or `~*` and one that ignores letter case. nginx ignores the case of a text, too
 * (RS-32.21).
 */

import { groupsOf } from "../tokens/pattern-groups.ts";
import { Token } from "../tokens/token.ts";
import { type Kind, no, ok, shown } from "./kind.ts";

/** Words with a meaning of their own at the start of a line of a `map`. */
const reserved = new Set(["default", "hostnames", "include", "volatile"]);

/** nginx accepts no longer word, and its regular expression library no deeper groups. */
const longestPattern = 4_096;
const deepestGroup = 250;

/**
 * Returns the mistake in a Perl regular expression, or undefined. It only finds what certainly does
 * not compile: brackets without a partner, a quantifier with nothing before it, a backslash at the
 * end. nginx decides about the rest. Each step is linear in the length: a set is only searched
 * if a bracket follows that can end it.
 */
export function regexMistake(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `it is longer than ${longestPattern} characters`;
  const unquoted = pattern.replace(/\\Q.*?(\\E|$)/gs, "q");
  const atoms = replacedSets(unquoted.replace(/\\[\s\S]/g, "e"), anySet, "c");
  if (atoms.endsWith("\\")) return "it ends in a backslash";
  if (atoms.includes("[")) return 'a "[" is not closed';
  let depth = 0;
  for (const bracket of atoms.replace(/[^()]/g, "")) {
    depth += bracket === "(" ? 1 : -1;
    if (depth < 0) return 'a ")" has no "("';
    if (depth > deepestGroup) return `its groups are nested deeper than ${deepestGroup}`;
  }
  if (depth > 0) return 'a "(" is not closed';
  const inside = atoms
    .replace(/\(\?#[^)]*\)/g, "")
    .replace(/\(\*\w+\)/g, "")
    .replace(/\(\?/g, "(");
  if (/(^|[(|])[*+?](?!\))/.test(inside.replace(/\([<!=:>|a-zA-Z'-]/g, "(a")))
    return "a quantifier has nothing to repeat";
  return groupsOf(pattern).mistake ?? misnumbered(unquoted);
}

const anySet = /\[\^?\]?(?:\[:\^?\w+:\]|[^\]])*\]/g;
const plainSet = /\[\^?\]?[^\]]*\]/g;

/**
 * Returns `text` with each set replaced. After the last bracket that can end a set, it does not
 * search any more.
 */
function replacedSets(text: string, set: RegExp, by: string): string {
  const end = text.lastIndexOf("]") + 1;
  return text.slice(0, end).replace(set, by) + text.slice(end);
}

const posixClasses = /^(alpha|lower|upper|alnum|ascii|blank|cntrl|digit|graph|print|punct|space|word|xdigit)$/;

/**
 * Placeholders for the backslash of a reference to a group, and for any other escape, so that later
 * steps do not read these.
 */
const [reference, escaped] = ["\uFFFE", "\uFFFF"];

/**
 * Returns the mistake in a number or name: a range that runs backwards, or a group that does not
 * exist.
 */
function misnumbered(pattern: string): string | undefined {
  const stranger = [...pattern.matchAll(/\[:\^?(\w+):\]/g)].find(([, name]) => !posixClasses.test(name!));
  if (stranger !== undefined) return `there is no class ${stranger[0]}`;
  const plain = pattern
    .replace(/\[:\^?\w+:\]/g, "")
    .replace(/\\([\s\S])/g, (_, letter: string) => (/[1-9]/.test(letter) ? reference + letter : escaped));
  for (const [text, least, most] of plain.matchAll(/\{(\d+)(?:,(\d+))?\}/g)) {
    if (most !== undefined && Number(most) < Number(least)) return `the numbers of ${text} are out of order`;
    if (Number(most ?? least) > 65_535) return `${text} is more than 65535`;
  }
  for (const [set] of plain.slice(0, plain.lastIndexOf("]") + 1).matchAll(plainSet)) {
    if (set.includes(reference) || set.includes(escaped)) continue;
    const range = [...set.matchAll(/(\w)-(\w)/g)].find(([, first, last]) => first! > last!);
    if (range !== undefined) return `the range ${range[0]} is out of order`;
  }
  const atoms = replacedSets(plain, plainSet, "c");
  const names = [...atoms.matchAll(/\(\?(?:P?<|')([a-z_]\w*)/gi)].map(([, name]) => name!);
  const groups = [...atoms.matchAll(/\((?!\?|\*)/g)].length + names.length;
  const missing = [...atoms.matchAll(/\uFFFE([1-9])(?!\d)/g)].find(([, number]) => Number(number) > groups);
  return missing === undefined ? undefined : `there is no group for \\${missing[1]}`;
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
};

/**
 * Returns what to write for a path with a final `*`, which other controllers take for everything
 * below the path; undefined for any other path.
 */
export function starAdvice(path: string): string | undefined {
  const [, above] = /^((?:\/[\w.-]+)*)\/\*$/.exec(path) ?? [];
  return above === undefined ? undefined : `${above === "" ? "/" : above} with pathType Prefix takes all below it`;
}
