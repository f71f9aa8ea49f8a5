/**
 * External authentication: an auth service is asked before each request (RS-16). What cannot be set up answers 503, never
 * open: ingress-nginx drops the whole check where one of three annotations is unreadable (RS-2.9).
 */

import { optional } from "../../kinds/combine.ts";
import { headerName } from "../../kinds/names.ts";
import { integer } from "../../kinds/numbers.ts";
import { listOf, trimmed } from "../../kinds/text.ts";
import { bool, oneOf } from "../../kinds/words.ts";
import type { ConfigMap } from "../../model/objects.ts";
import { type Problem, sentence } from "../../problem.ts";
import { Token } from "../../render/token.ts";
import { type FollowedHeader, headersOf } from "../../settings/followed.ts";
import { permitFor, snippet } from "../../settings/snippet.ts";
import { type Context, field, type Resolved, resolvedFeature } from "../declare.ts";
import { named, referenceText } from "../reference.ts";
import { globalAuth } from "./global.ts";
import { cacheDurations, cacheKey, hostOfUrl, plainText, questionUrl, signinUrl, usualDurations } from "./kinds.ts";
import type { ExternalAuth } from "./question.ts";
import { answeredHeaders, externalAuthView, passedCookies } from "./view.ts";

export const externalAuth = resolvedFeature({
  name: "external-auth",
  scope: "location",
  guard: true,
  gate: "url",
  fields: {
    url: field({
      key: "auth-url",
      kind: questionUrl,
      fallback: () => "",
      onBad: "reject",
      risk: "High",
      doc: "Asks this URL before each request: 2xx lets it pass, 401 and 403 are returned, anything else is 500. May hold variables.",
    }),
    useGlobal: field({
      key: "enable-global-auth",
      kind: bool,
      fallback: () => true,
      risk: "Low",
      doc: "false exempts the Ingress from the ConfigMap's global-auth-url.",
    }),
    method: field({
      key: "auth-method",
      kind: optional(trimmed(oneOf(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"]))),
      fallback: () => undefined,
      onBad: "deny",
      risk: "Low",
      doc: "Method of the question, GET when not given; with it the question also says X-Original-URI and X-Scheme.",
    }),
    signin: field({
      key: "auth-signin",
      kind: signinUrl,
      fallback: () => "",
      risk: "High",
      doc: "Sends clients there with 302 where the answer is 401; where they came from is added as a query parameter.",
    }),
    redirectParam: field({
      key: "auth-signin-redirect-param",
      kind: plainText,
      fallback: () => "rd",
      risk: "Medium",
      doc: "Query parameter of auth-signin that says where the client came from.",
    }),
    responseHeaders: field<readonly string[]>({
      key: "auth-response-headers",
      kind: listOf(headerName),
      fallback: () => [],
      onBad: "deny",
      risk: "Medium",
      doc: "Headers of the answer that the backend gets instead of the client's.",
    }),
    headers: field({
      key: "auth-proxy-set-headers",
      kind: referenceText,
      fallback: () => "",
      risk: "Medium",
      doc: "ConfigMap, as namespace/name, whose entries are headers of the question.",
    }),
    requestRedirect: field({
      key: "auth-request-redirect",
      kind: plainText,
      fallback: () => "",
      onBad: "deny",
      risk: "Medium",
      doc: "What the question says in X-Auth-Request-Redirect instead of the request URI.",
    }),
    alwaysSetCookie: field({
      key: "auth-always-set-cookie",
      kind: bool,
      fallback: () => false,
      onBad: "deny",
      risk: "Low",
      doc: "Passes the cookies of the answer to the client whatever the status, not only with success and redirects.",
    }),
    cacheKey: field({
      key: "auth-cache-key",
      kind: cacheKey,
      fallback: () => "",
      risk: "Medium",
      doc: "Keeps answers, one for each value of this text with variables; nothing is shared between locations.",
    }),
    cacheDurations: field({
      key: "auth-cache-duration",
      kind: cacheDurations,
      fallback: () => usualDurations,
      onBad: "deny",
      risk: "Medium",
      doc: "How long answers are kept, by status.",
    }),
    keepalive: field({
      key: "auth-keepalive",
      kind: integer(),
      fallback: () => 0,
      risk: "Low",
      doc: "Idle connections to the auth service that are kept.",
    }),
    keepaliveShareVars: field({
      key: "auth-keepalive-share-vars",
      kind: bool,
      fallback: () => false,
      risk: "Low",
      doc: "Accepted; the question always shares the request's variables.",
    }),
    keepaliveRequests: field({
      key: "auth-keepalive-requests",
      kind: integer(),
      fallback: () => 1000,
      risk: "Low",
      doc: "Questions on one kept connection.",
    }),
    keepaliveTimeout: field({
      key: "auth-keepalive-timeout",
      kind: integer(),
      fallback: () => 60,
      risk: "Low",
      doc: "Seconds that an idle connection is kept.",
    }),
    snippet: field({
      key: "auth-snippet",
      kind: snippet,
      fallback: () => "",
      onBad: "reject",
      risk: "Critical",
      doc: "Directives for the location of the question, where the operator allows snippets.",
    }),
  },
  resolve: (fields, context): Resolved<ExternalAuth> => {
    const { settings } = context;
    if (fields.url === "") return { value: fields.useGlobal ? globalAuth(settings) : { kind: "none" } };
    const host = hostOfUrl(fields.url);
    if (host === undefined) return refused(context, "auth-url", `${fields.url} is not an absolute http or https URL`);
    const headers = fields.headers === "" ? { ok: true as const, headers: [] } : headersFrom(fields.headers, context);
    if (!headers.ok) return refused(context, "auth-proxy-set-headers", headers.why);
    const permit = permitFor(settings);
    const { keepalive, keepaliveRequests, keepaliveTimeout } = fields;
    const question = {
      ...pick(fields),
      by: "ingress" as const,
      host,
      headers: headers.headers,
      only200:
        !settings.useHttp2 && !host.includes("$") && Math.min(keepalive, keepaliveRequests, keepaliveTimeout) > 0,
      snippet: fields.snippet === "" || permit === undefined ? undefined : Token.snippet(fields.snippet, permit),
    };
    return { value: { kind: "ask", question } };
  },
  variables: ["auth_url", "auth_host", "auth_redirect", "auth_signin"],
  view: externalAuthView,
  requestHeaders: answeredHeaders,
  answerHeaders: passedCookies,
});

interface Texts {
  readonly url: string;
  readonly method: string | undefined;
  readonly signin: string;
  readonly redirectParam: string;
  readonly responseHeaders: readonly string[];
  readonly requestRedirect: string;
  readonly alwaysSetCookie: boolean;
  readonly cacheKey: string;
  readonly cacheDurations: readonly string[];
}

function pick(fields: Texts): Texts {
  const { url, method, signin, redirectParam, responseHeaders, requestRedirect, alwaysSetCookie } = fields;
  const { cacheKey, cacheDurations } = fields;
  return {
    url,
    method,
    signin,
    redirectParam,
    responseHeaders,
    requestRedirect,
    alwaysSetCookie,
    cacheKey,
    cacheDurations,
  };
}

type HeadersFrom =
  | { readonly ok: true; readonly headers: readonly FollowedHeader[] }
  | { readonly ok: false; readonly why: string };

/** One entry that cannot be a header denies all: an auth service that misses one might let somebody pass. */
function headersFrom(reference: string, context: Context): HeadersFrom {
  if (!reference.includes("/")) return { ok: false, why: `${reference} is not namespace/name` };
  const found = named<ConfigMap>(reference, "ConfigMap", context.configMap, context);
  if (!found.ok) return found;
  const problems: Problem[] = [];
  const headers = headersOf(found.object, context.settings, problems);
  const first = problems[0];
  return first === undefined ? { ok: true, headers } : { ok: false, why: `ConfigMap ${reference}, ${sentence(first)}` };
}

function refused({ ingress }: Context, key: string, why: string): Resolved<ExternalAuth> {
  return { refuse: "deny", problem: { object: ingress, kind: "annotation-unreadable", key, why, done: "deny" } };
}
