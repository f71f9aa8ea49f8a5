/**
 * Snippets: nginx text that is used as its author wrote it, the one deliberate exception to
 * quoting. Snippets in the ConfigMap are always permitted, because they are the operator's own.
 * Snippets in annotations need both of the operator's switches (RS-2.6). Only this file makes a
 * Permit.
 */

import { type Permit, Token } from "../directives/token.ts";
import { parse } from "../kinds/grammar.ts";
import { type Kind, longestText, no, ok } from "../kinds/kind.ts";

const permit: Permit = { snippets: true };

/** Returns the Permit for snippets of annotations, if the operator allows them. */
export function permitFor(settings: { readonly allowSnippetAnnotations: boolean }): Permit | undefined {
  return settings.allowSnippetAnnotations ? permit : undefined;
}

/**
 * Directives whose blocks all end inside the snippet, so that it cannot end the block around it.
 */
export const snippet: Kind<string> = {
  label: "nginx directives",
  longest: longestText,
  read: (text) => {
    if (!Token.printableLines(text)) return no("a control character is in it");
    const parsed = parse(text);
    return parsed.ok ? ok(text) : no(parsed.why);
  },
  view: (value) => Token.snippet(value, permit),
  good: ["", 'error_log "/dev/null" crit; # }\n'],
  bad: ["env \0A;", "env A", "}", "server {", 'add_header X "a;', "a; } b {"],
};

/**
 * ModSecurity rules on any number of lines. ingress-nginx writes them between single quotes, so
 * nginx reads `\'`, `\"` and some other pairs as one character, and users write such pairs.
 */
export const modsecurityRules: Kind<string> = {
  label: "ModSecurity rules",
  longest: longestText,
  read: (text) => {
    const long = rulesOf(text).find((rule) => rule.length > 3500);
    if (long !== undefined)
      return no(`the rule that starts with ${JSON.stringify(long.slice(0, 40))} is longer than 3500 characters`);
    return Token.printableLines(text) ? ok(text) : no("a control character is in it");
  },
  view: (value) => rulesOf(value).map((rule) => Token.lines(rule)),
  good: ["", 'SecRuleEngine On\nSecRule ARGS:a "@streq b" \\\n  "id:1,phase:1,deny"\n'],
  bad: ["\0"],
};

/**
 * Returns one text for each rule: a line, with further lines that a backslash at its end joins to
 * it. nginx accepts at most 4 KB in one word.
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
