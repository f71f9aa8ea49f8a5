/**
 * Finds locations in an auth-snippet. Its own location is exact, and nginx allows no other one in
 * such a location.
 */

import { parse, type Statement } from "../../../core/kinds/grammar.ts";
import type { Problem } from "../../../core/model/problem.ts";
import { authSnippet, type Snippet } from "../snippet-findings.ts";

export function authLocations(snippets: readonly Snippet[]): Problem[] {
  return snippets.flatMap(({ object, field, text }) => {
    const parsed = field === authSnippet ? parse(text) : undefined;
    const found = parsed?.ok ? parsed.statements.flatMap(locationsIn) : [];
    return found.map(({ line }): Problem => {
      const why = `line ${line}: a location cannot stand in the location of the auth request`;
      return { object, kind: "snippet-refused", field, why };
    });
  });
}

function locationsIn(statement: Statement): readonly Statement[] {
  return statement.name === "location" ? [statement] : (statement.block ?? []).flatMap(locationsIn);
}
