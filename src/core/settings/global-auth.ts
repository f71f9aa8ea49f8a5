/**
 * Keys about external authentication for all locations that have none of their own and are not
 * exempt (RS-16.9).
 */

import { isHost } from "../kinds/addresses.ts";
import { type AskedPolicy, forOperator, strictPolicy } from "../kinds/asked.ts";
import { originOf, whyNotOrigin } from "../kinds/checked-name.ts";
import { lenientListOf, optional } from "../kinds/combine.ts";
import { type Kind, no, ok, shown } from "../kinds/kind.ts";
import { shaped } from "../kinds/names.ts";
import { settableHeaderName } from "../kinds/reserved-headers.ts";
import { isKnownVariable, variableText } from "../kinds/variables.ts";
import { oneOf } from "../kinds/words.ts";
import { Token } from "../tokens/token.ts";
import { keyed, setting, toggle } from "./declare.ts";
import { snippet } from "./snippet.ts";

/**
 * The auth service. `refuse` stands for an unreadable URL without a last good one: every such
 * location answers 503.
 */
export type GlobalAuth =
  | { readonly kind: "none" }
  | { readonly kind: "ask"; readonly url: string }
  | { readonly kind: "refuse" };

const parts = /^https?:\/\/(\[[\da-f:.]+\]|[^/:?#[\]]+)(:\d{1,5})?([/?#].*)?$/i;

/** http or https, a host, and any path and query; other text may hold variables. */
const absoluteUrl: Kind<string> = {
  label: "an absolute http or https URL, which may hold variables",
  read: (text) => {
    const host = parts.exec(text)?.[1];
    if (host === undefined || /\s/.test(text) || !Token.printable(text) || text.length > 2000) {
      return no(`${shown(text)} is not an absolute http or https URL`);
    }
    return isHost(host) || /^[\w$.{}-]*\$[\w$.{}-]*$/.test(host) ? ok(text) : no(`${shown(host)} is not a host`);
  },
  view: variableText.view,
};

/**
 * Returns why the operator's auth service cannot be used. Variables of the operator may choose its
 * host, but variables that clients control may not.
 */
export function whyNotGlobal(url: string, policy: AskedPolicy): string | undefined {
  const origin = originOf(url);
  if (origin === undefined) return `${shown(url)} is not an absolute http or https URL`;
  const why = whyNotOrigin(origin, forOperator(policy), (name) => !isKnownVariable(name, "http"));
  return why === undefined ? undefined : `${shown(url)} is not asked: ${why}`;
}

const authUrl: Kind<GlobalAuth> = {
  label: `${absoluteUrl.label}, or empty`,
  read: (text) => {
    if (text === "") return ok({ kind: "none" });
    const read = absoluteUrl.read(text);
    if (!read.ok) return read;
    const why = whyNotGlobal(text, strictPolicy);
    return why === undefined ? ok({ kind: "ask", url: read.value }) : no(why);
  },
  write: (auth) => (auth.kind === "ask" ? auth.url : auth.kind === "none" ? "" : "(every request refused)"),
  view: (auth) => (auth.kind === "ask" ? absoluteUrl.view(auth.url) : false),
};

const standard = ["200 202 401 5m"];

/**
 * Each item has the parameters of one `proxy_cache_valid`; one wrong item makes the whole list five
 * minutes (RS-32).
 */
const durations: Kind<readonly string[]> = {
  label: "a comma-separated list, each status codes and a time like 200 202 30m",
  read: (text) => {
    const items = text.split(",").map((item) => item.trim().replace(/\s+/g, " "));
    const wrong = items.find((item) => !/^((any|[1-5]\d\d) )*\d{1,6}(ms|[smhdwMy])?$/.test(item));
    if (wrong === undefined) return ok(items);
    return {
      ok: true,
      value: standard,
      besides: `${shown(wrong)} is not status codes and a time`,
    };
  },
  write: (items) => items.join(", "),
  view: (items) => items.map((item) => Token.words(item.split(" ").map(Token.name))),
};

const parameter = shaped({
  label: "the name of a query parameter",
  shape: /^[\w.~-]{1,100}$/,
});

const auth = keyed({
  globalAuthUrl: setting<GlobalAuth>({
    kind: authUrl,
    default: { kind: "none" },
    closed: { kind: "refuse" },
    variables: "http",
    becomes: "auth_request in each location",
    doc: 'Sends an auth request to this URL before every request of every Ingress that has no auth-url and does not set enable-global-auth: "false".',
  }),
});

const besideUrl = keyed(
  {
    globalAuthMethod: setting({
      kind: optional(oneOf(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"])),
      becomes: "proxy_method in the location of the auth request",
      doc: "Method of the auth request.",
    }),
    globalAuthSignin: setting({
      kind: optional(absoluteUrl),
      variables: "http",
      becomes: "error_page 401",
      doc: "Sign-in page to which a client is redirected instead of getting a 401.",
    }),
    globalAuthSigninRedirectParam: setting({
      kind: optional(parameter),
      onlyWith: ["global-auth-signin"],
      becomes: "error_page 401",
      doc: "Query parameter of the sign-in page that holds the original URL; rd when not given.",
    }),
    globalAuthResponseHeaders: setting({
      kind: lenientListOf(settableHeaderName),
      default: [],
      becomes: "auth_request_set and proxy_set_header",
      doc: "Headers of the auth service's answer that are passed on to the backend.",
    }),
    globalAuthRequestRedirect: setting({
      kind: optional(variableText),
      variables: "http",
      becomes: "proxy_set_header X-Auth-Request-Redirect",
      doc: "Value of X-Auth-Request-Redirect in the auth request, instead of the request URI.",
    }),
    globalAuthAlwaysSetCookie: toggle({
      becomes: "add_header Set-Cookie … always",
      doc: "Passes the cookies of the auth service's answer on to the client, whatever the backend's status.",
    }),
    globalAuthCacheKey: setting({
      kind: optional(variableText),
      variables: "http",
      becomes: "proxy_cache_key, hashed with host and location",
      doc: "Caches the answers of the auth service by the value of this text.",
    }),
    globalAuthCacheDuration: setting<readonly string[]>({
      kind: durations,
      default: [],
      onlyWith: ["global-auth-cache-key"],
      becomes: "proxy_cache_valid",
      doc: "How long answers are kept, by status; without it none is.",
    }),
    globalAuthSnippet: setting({
      kind: snippet,
      default: "",
      becomes: "text in the location of the auth request",
      doc: "Directives for the location of the auth request.",
    }),
  },
  { onlyWith: ["global-auth-url"] },
);

export const globalAuth = { ...auth, ...besideUrl };
