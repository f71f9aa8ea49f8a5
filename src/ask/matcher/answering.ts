/**
 * Whether the text of a snippet may answer a request in place of the backend. Most snippets only
 * set headers, variables or limits of the proxy.
 */

import { parse, type Statement } from "../../core/kinds/grammar.ts";
import { allDirectives } from "../../core/tokens/nginx-directives.ts";

/** The last texts, because one configuration may get questions about many requests. */
const known = new Map<string, boolean>();
const mostKnown = 100;

/** Returns true for text that cannot be read, too. */
export function mayAnswer(text: string): boolean {
  const found = known.get(text);
  if (found !== undefined) return found;
  const read = readAnswer(text);
  if (known.size >= mostKnown) known.clear();
  known.set(text, read);
  return read;
}

function readAnswer(text: string): boolean {
  const parsed = parse(text);
  return !parsed.ok || parsed.statements.some(answers);
}

function answers({ name, args, block = [] }: Statement): boolean {
  if (elsewhere.has(name)) return false;
  // This variable chooses the Service that answers.
  if (name === "set" && args[0] === "$proxy_upstream_name") return true;
  if (name === "rewrite") return args[2] === "redirect" || args[2] === "permanent" || /^(?:https?:|\$)/.test(args[1]!);
  return answering.test(name) || !allDirectives.includes(name) || block.some(answers);
}

/** Blocks that the request of a location does not run through. */
const elsewhere: ReadonlySet<string> = new Set([
  "map",
  "geo",
  "geoip2",
  "split_clients",
  "types",
  "upstream",
  "server",
]);

/**
 * Directives that can end a request: answers, other backends, files, refusals, limits, checks,
 * error pages and caches. Lua can do all of it, except where it only writes the log. A nested
 * location replaces the one around it.
 */
const answering = new RegExp(
  [
    "^(?:return|deny|allow|error_page|recursive_error_pages|internal|location|limit_except|limit_req|limit_conn)$",
    "_pass$|^(?:try_files|root|alias|index|autoindex|random_index|flv|mp4|empty_gif|stub_status|include)$",
    "^(?:auth_basic|auth_request|auth_jwt|auth_digest|ssl_verify_client|client_max_body_size|modsecurity(?:_.*)?)$",
    "^(?:proxy|fastcgi|uwsgi|scgi)_cache$|^(?:js|perl|echo|dav|drizzle|memc|redis2?|srcache)(?:_.*)?$",
    "^(?:server_rewrite|rewrite|access|content|header_filter|body_filter|set|ssl_certificate)_by_lua(?:_block|_file)?$",
  ].join("|"),
);
