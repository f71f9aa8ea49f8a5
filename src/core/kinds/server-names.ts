/**
 * Kinds for the names of servers as nginx accepts them: exact ones, wildcards with one `*` at an
 * end (`*.example.com`, `www.*`; `.example.com` is both `example.com` and `*.example.com`), and
 * regular expressions after a `~`. nginx refuses a whole configuration for a name of another form.
 */

import { longestName, unboundable } from "../tokens/pattern-bounds.ts";
import { Token } from "../tokens/token.ts";
import { type Kind, no, ok, shown } from "./kind.ts";
import { regexMistake } from "./patterns.ts";

const label = "[a-z\\d_](?:[a-z\\d_-]{0,62})";
const exact = new RegExp(`^${label}(?:\\.${label})*$`);
const leading = new RegExp(`^\\*?(?:\\.${label})+$`);
const trailing = new RegExp(`^${label}(?:\\.${label})*\\.\\*$`);

export type NameForm = "exact" | "leading" | "trailing" | "regex";

/** Returns undefined if nginx would refuse the name. */
export function formOf(name: string): NameForm | undefined {
  if (name.startsWith("~")) return regexMistake(name.slice(1)) === undefined && name.length > 1 ? "regex" : undefined;
  if (exact.test(name)) return "exact";
  if (leading.test(name)) return "leading";
  return trailing.test(name) ? "trailing" : undefined;
}

/** The name is kept in lower case, except for regular expressions. */
export const serverName: Kind<string> = {
  label: "a host name, a wildcard like *.example.com or www.*, or ~ and a regular expression",
  read: (text) => {
    const name = text.startsWith("~") ? text : text.toLowerCase().replace(/(?<=[^*])\.$/, "");
    if (formOf(name) === undefined)
      return no(
        `${shown(text)} is neither a host name nor a wildcard like *.example.com or www.* nor ~ and a regular expression`,
      );
    const fault = name.startsWith("~") ? unboundable(name.slice(1)) : undefined;
    if (fault !== undefined) return no(`${shown(text)} ${fault}`);
    if (/[^-A-Za-z0-9._~/:^$[\](){}*+?|&=\\]/.test(name))
      return no(`${shown(text)} holds more than letters, digits and - . _ ~ / : ^ $ [ ] ( ) { } * + ? | & = \\`);
    return ok(name);
  },
  view: (name) => (name.startsWith("~") ? Token.boundedWithSign(name, longestName) : Token.word(name)),
};
