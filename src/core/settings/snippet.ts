/**
 * Snippets: nginx text that is used as its author wrote it, the one deliberate exception to
 * quoting. Snippets in the ConfigMap are always permitted, because they are the operator's own.
 * Snippets in annotations need both of the operator's switches (RS-2.6). Only this file makes a
 * Permit.
 */

import { parse } from "../kinds/grammar.ts";
import { type Kind, longestText, no, ok } from "../kinds/kind.ts";
import { type Permit, Token } from "../tokens/token.ts";

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
};
