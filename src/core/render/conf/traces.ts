/** What an internal redirect empties (nginx/lua/sluice/route/traces.lua). */
import { Token } from "../../tokens/token.ts";
import { routeLabels } from "./server-views.ts";

/**
 * Variables that stay when a request leaves a location by an internal redirect: they belong to the
 * connection, to the body, to the jump itself, or to a location that a snippet declares.
 */
const lasting = [
  ...["route_asked", "route_body_kept", "route_certificate", "route_tried"],
  ...["s_at", "s_inner", "s_located"],
];

/**
 * Returns the variables that are emptied, without those that only some texts read: their names here
 * would count as reading.
 */
export function tracesOf(declared: ReadonlySet<string>, setWhereRead: ReadonlySet<string>): readonly Token[] {
  const others = new Set([...setWhereRead, ...routeLabels, ...lasting]);
  return [...declared].filter((name) => !others.has(name)).map(Token.name);
}
