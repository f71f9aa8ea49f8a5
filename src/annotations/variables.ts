/** Values of annotations in which authors name variables, as text for nginx. */
import type { Place } from "../directives/place.ts";
import { Token } from "../directives/token.ts";
import { groupVariables, namesGroups, withGroupVariables } from "../kinds/variables.ts";

/** `raw` with its variables and the groups of the path. */
export function groupedText(place: Place, raw: string, allowed: (name: string) => boolean): Token {
  if (namesGroups(raw)) place.needsGroups();
  return Token.variables(withGroupVariables(raw), (name) => groupVariables.includes(name) || allowed(name));
}

/**
 * `raw` with its variables. Text that names none is a tenant's own value and goes where those go
 * (`Place.bind`); text that names some is the same for many tenants, and is written as it is.
 */
export function boundText(place: Place, name: string, raw: string, allowed: (name: string) => boolean): Token {
  const some = /\$\{?(\w+)/g;
  const isNamed = (variable: string) => allowed(variable) || place.declares(variable);
  const hasVariable = [...raw.matchAll(some)].some(([, variable]) => isNamed(variable!));
  if (namesGroups(raw)) return groupedText(place, raw, isNamed);
  return hasVariable ? Token.variables(raw, isNamed) : place.bind(name, raw);
}
