/**
 * Variables with parts of the auth service's answer, under the names that ingress-nginx gives them.
 * Authors read them in snippets: `$auth_cookie` to pass on a cookie that a login service has split,
 * and `$authHeader0` for the first of `auth-response-headers`. nginx refuses a name that nothing
 * declares, and Lua finds nothing under it.
 */

import type { Place } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";

export interface AnswerVariable {
  readonly name: string;
  /** The variable of nginx that holds the value in the auth request. */
  readonly from: string;
}

export function answerVariables(responseHeaders: readonly string[]): readonly AnswerVariable[] {
  const ofHeaders = responseHeaders.map((header, at) => ({
    name: `authHeader${at}`,
    from: `upstream_http_${header.trim().toLowerCase().replaceAll("-", "_")}`,
  }));
  return [{ name: "auth_cookie", from: "upstream_http_set_cookie" }, ...ofHeaders];
}

/** Returns those that a snippet of the location names, for `templates/external-auth.tmpl`. */
export function namedAnswers(responseHeaders: readonly string[], place: Place): View[] {
  return answerVariables(responseHeaders)
    .filter(({ name }) => place.names(name))
    .map(({ name, from }) => ({ variable: Token.name(name), from: Token.variable(from) }));
}
