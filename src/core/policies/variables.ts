/** Values of annotations in which authors name variables, as text for nginx. */

import { groupVariables, namesGroups, withGroupVariables } from "../kinds/variables.ts";
import type { Place } from "../tokens/place.ts";
import { Token } from "../tokens/token.ts";

/** Returns `raw` with its variables and the groups of the path. */
export function groupedText(place: Place, raw: string, allowed: (name: string) => boolean): Token {
  if (namesGroups(raw)) place.needsGroups();
  return Token.variables(withGroupVariables(raw), (name) => groupVariables.includes(name) || allowed(name));
}

/**
 * Returns `raw` with its variables. A text without variables is a tenant's own value, which becomes
 * data where possible (`Place.bind`). A text with variables is usually the same for many tenants,
 * so it is written as it is.
 */
export function boundText(place: Place, name: string, raw: string, allowed: (name: string) => boolean): Token {
  const some = /\$\{?(\w+)/g;
  const isNamed = (variable: string) => allowed(variable) || place.declares(variable);
  const hasVariable = [...raw.matchAll(some)].some(([, variable]) => isNamed(variable!));
  if (namesGroups(raw)) return groupedText(place, raw, isNamed);
  return hasVariable ? Token.variables(raw, isNamed) : place.bind(name, raw);
}
