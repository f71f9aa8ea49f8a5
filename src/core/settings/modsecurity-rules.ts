/**
 * Rules of ModSecurity. ingress-nginx writes them between single quotes in nginx.conf, so nginx
 * reads `\'`, `\"` and some other pairs as one character, and users write such pairs.
 */

import { type Kind, longestText, no, ok } from "../kinds/kind.ts";
import { Token } from "../tokens/token.ts";

/** Rules on any number of lines. */
export const modsecurityRules: Kind<string> = {
  label: "ModSecurity rules",
  longest: longestText,
  read: (text) => {
    if (!Token.printableLines(text)) return no("a control character is in it");
    const long = chainsOf(text).find((rules) => sizeOf(rules) > mostBytes);
    return long === undefined
      ? ok(text)
      : no(`the rule that starts with ${JSON.stringify(long.slice(0, 40))} takes more than ${mostBytes} bytes`);
  },
  view: (value) => textsOf(value).map((rules) => Token.lines(rules)),
};

/** nginx accepts at most 4 KB in one word. */
const mostBytes = 4_000;

const sizeOf = (rules: string): number => Buffer.byteLength(String(Token.lines(rules)));

/** Returns the rules in as few texts as possible, because some rules refer to those before them. */
function textsOf(text: string): readonly string[] {
  const texts: string[] = [];
  let left = 0;
  for (const rules of chainsOf(text)) {
    // The line break between two texts takes as many bytes as the quotes of the second one.
    const size = sizeOf(rules);
    if (size > left) {
      texts.push(rules);
      left = mostBytes;
    } else texts[texts.length - 1] += `\n${rules}`;
    left -= size;
  }
  return texts;
}

/** Returns one text for each rule with those that are chained to it. */
function chainsOf(text: string): readonly string[] {
  const chains: string[] = [];
  let chained = false;
  for (const rule of rulesOf(text)) {
    chains.push(chained ? `${chains.pop()}\n${rule}` : rule);
    chained = /\bchain\b/i.test(rule);
  }
  return chains;
}

/**
 * Returns one text for each rule: a line, with further lines that a backslash at its end joins to
 * it.
 */
function rulesOf(text: string): readonly string[] {
  const rules: string[] = [];
  let lines: string[] = [];
  for (const line of unescaped(text).split("\n")) {
    lines.push(line);
    if (line.endsWith("\\")) continue;
    rules.push(lines.join("\n"));
    lines = [];
  }
  rules.push(lines.join("\n"));
  return rules.map((rule) => rule.trim()).filter((rule) => rule !== "" && !rule.startsWith("#"));
}

const controls: Readonly<Record<string, string>> = { t: "\t", r: "\r", n: "\n" };

/** Returns the text as nginx reads it between quotes: a backslash before another letter stays. */
const unescaped = (text: string): string =>
  text.replace(/\\(["'\\trn])/g, (_, letter: string) => controls[letter] ?? letter);
