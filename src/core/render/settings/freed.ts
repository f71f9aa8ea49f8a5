/**
 * Finds what an http-snippet limits or guards in all servers. nginx's servers for the controller
 * lift it (`templates/freed.tmpl`): a limit of requests would refuse the records of new routes.
 */

import { parse } from "../../kinds/grammar.ts";
import type { View } from "../../tokens/token.ts";

/** Directives that a server inherits, by the words of the template. */
const inherited = {
  limit_req: /^limit_req$/,
  limit_conn: /^limit_conn$/,
  limit_rate: /^limit_rate$/,
  access: /^(allow|deny)$/,
  auth_request: /^auth_request$/,
  modsecurity: /^modsecurity$/,
  rewrite_by_lua: /^rewrite_by_lua/,
  access_by_lua: /^access_by_lua/,
  header_filter_by_lua: /^header_filter_by_lua/,
  body_filter_by_lua: /^body_filter_by_lua/,
};

/** Returns which of them the snippet has at its top level, or false if it has none. */
export function freedView(httpSnippet: string): View {
  const parsed = parse(httpSnippet);
  const names = parsed.ok ? parsed.statements.map(({ name }) => name) : [];
  const found = Object.entries(inherited).map(([word, pattern]) => [word, names.some((name) => pattern.test(name))]);
  return found.some(([, is]) => is) && Object.fromEntries(found);
}
