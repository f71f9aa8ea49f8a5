/**
 * Snippets: nginx text that goes in as its author wrote it, the one deliberate hole in the quoting.
 * The operator's own, in the ConfigMap, are always permitted; those of annotations need both of the
 * operator's switches (RS-2.6). This file makes the only Permit there is.
 */

import { type Permit, Token } from "../directives/token.ts";
import { parse } from "../kinds/grammar.ts";
import { type Kind, longestText, no, ok } from "../kinds/kind.ts";

const permit: Permit = { snippets: true };

/** The Permit for snippets of annotations, where the operator allowed them. */
export function permitFor(settings: { readonly allowSnippetAnnotations: boolean }): Permit | undefined {
  return settings.allowSnippetAnnotations ? permit : undefined;
}

/** Directives, each closed in the snippet itself, so that it cannot end the block it is put in. */
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

/** ModSecurity rules, as many lines as there are. */
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
 * One text for each rule: a line with those that a backslash at the end joins to it. nginx takes at
 * most 4 KB in one word.
 */
function rulesOf(text: string): readonly string[] {
  const rules: string[] = [];
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    lines.push(line);
    if (line.endsWith("\\")) continue;
    rules.push(lines.join("\n"));
    lines = [];
  }
  rules.push(lines.join("\n"));
  return rules.map((rule) => rule.trim()).filter((rule) => rule !== "" && !rule.startsWith("#"));
}
