/**
 * External authentication: nginx sends an auth request to a service before each request (RS-16). An
 * auth service that cannot be set up closes the paths with 503. ingress-nginx drops the whole check
 * if one of three annotations is unreadable (RS-2.9).
 */
import { isDeepStrictEqual } from "node:util";
import { whyNotHost } from "../../kinds/asked.ts";
import { originOf, whyNotOrigin } from "../../kinds/checked-name.ts";
import { optional } from "../../kinds/combine.ts";
import { variablesDeclaredIn } from "../../kinds/declared-variables.ts";
import { type Kind, shown } from "../../kinds/kind.ts";
import { integer } from "../../kinds/numbers.ts";
import { settableHeaderNames, withoutReserved } from "../../kinds/reserved-headers.ts";
import { oneOf } from "../../kinds/words.ts";
import type { ConfigMap } from "../../model/objects.ts";
import { type Problem, sentence, type Why } from "../../model/problem.ts";
import type { FollowedHeader } from "../../settings/followed.ts";
import { headersOf } from "../../settings/read-followed.ts";
import { settings as declarations, type Settings } from "../../settings/registry.ts";
import { permitFor, snippet } from "../../settings/snippet.ts";
import { Token } from "../../tokens/token.ts";
import { type Context, field, type Resolved, resolvedFeature, textField, toggle } from "../declare.ts";
import { leftOut, refused, useless } from "../problems.ts";
import { named, referenceField } from "../reference.ts";
import { otherwise } from "../without-lua.ts";
import { filter } from "./filter.ts";
import {
  cacheDurations,
  cacheKey,
  cacheKeyNaming,
  hostOfUrl,
  plainText,
  questionUrl,
  questionUrlNaming,
  signinUrl,
  signinUrlNaming,
  usualDurations,
} from "./kinds.ts";
import { keepsAlive, poolOf } from "./pool.ts";
import type { ExternalAuth, Question } from "./question.ts";
import { answeredHeaders, externalAuthView, passedCookies } from "./view.ts";

/**
 * The annotations of external authentication. The consequence of a wrong value follows
 * ingress-nginx, except where that would let every request pass. Guides write `$request_uri` or
 * `$escaped_request_uri` here, also behind `https://$host`. The auth service gets the request's URI
 * without the annotation.
 */
const withoutUri: Kind<string> = {
  ...plainText,
  read: (text) => {
    const read = plainText.read(text);
    if (read.ok || !/\$\{?(escaped_)?request_uri\b/.test(text)) return read;
    return { ...read, why: `${read.why}; remove it, because the request's URI is sent without it` };
  },
};

const fields = {
  url: textField("auth-url", {
    example: "http://oauth2-proxy.auth.svc.cluster.local:4180/oauth2/auth",
    kind: questionUrl,
    naming: questionUrlNaming,
    onBad: "reject",
    risk: "High",
    doc: "Sends an auth request to this URL before each request: 2xx lets it pass, 401 and 403 are returned, anything else is 500. May hold variables.",
  }),
  useGlobal: toggle("enable-global-auth", {
    requires: null,
    example: "false",
    fallback: () => true,
    doc: "false exempts the Ingress from the ConfigMap's global-auth-url.",
  }),
  method: field("auth-method", {
    example: "GET",
    kind: optional(oneOf(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"])),
    onBad: "deny",
    doc: "Method of the auth request, GET when not given; with it the auth request also has X-Original-URI and X-Scheme.",
  }),
  signin: textField("auth-signin", {
    example: "https://login.example.com/oauth2/start?rd=$scheme://$host$escaped_request_uri",
    kind: signinUrl,
    naming: signinUrlNaming,
    risk: "High",
    doc: "Sign-in page to which clients are redirected with 302 if the answer is 401; the original URL is added as a query parameter.",
  }),
  redirectParam: field("auth-signin-redirect-param", {
    requires: "auth-signin",
    example: "next",
    kind: plainText,
    fallback: () => "rd",
    risk: "Medium",
    doc: "Query parameter of auth-signin that holds the original URL.",
  }),
  responseHeaders: field<readonly string[]>("auth-response-headers", {
    example: "X-Auth-Request-User, X-Auth-Request-Email",
    kind: settableHeaderNames,
    fallback: () => [],
    onBad: "deny",
    risk: "Medium",
    doc: "Headers of the auth service's answer that the backend gets instead of the client's.",
  }),
  headers: referenceField("auth-proxy-set-headers", {
    example: "shop/auth-headers",
    doc: "ConfigMap, as namespace/name, whose entries are headers of the auth request.",
  }),
  requestRedirect: textField("auth-request-redirect", {
    example: "https://shop.example.com/welcome",
    kind: withoutUri,
    onBad: "deny",
    risk: "Medium",
    doc: "Value of X-Auth-Request-Redirect in the auth request, instead of the request URI.",
  }),
  alwaysSetCookie: toggle("auth-always-set-cookie", {
    onBad: "deny",
    doc: "Passes the cookies of the auth service's answer to the client whatever the status, not only with success and redirects.",
  }),
  cacheKey: textField("auth-cache-key", {
    example: "$remote_user$http_authorization",
    kind: cacheKey,
    naming: cacheKeyNaming,
    risk: "Medium",
    doc: "Caches the answers of the auth service by the value of this text with variables; locations share no answers.",
  }),
  cacheDurations: field("auth-cache-duration", {
    requires: "auth-cache-key",
    example: "200 202 10m, 401 1m",
    kind: cacheDurations,
    fallback: () => usualDurations,
    onBad: "deny",
    risk: "Medium",
    doc: "How long answers are kept, by status.",
  }),
  keepalive: field("auth-keepalive", {
    example: "16",
    kind: integer({ max: 1000 }),
    fallback: () => 0,
    doc: "Idle connections to the auth service that are kept.",
  }),
  keepaliveShareVars: toggle("auth-keepalive-share-vars", {
    requires: "auth-keepalive",
    doc: "Accepted without effect; the auth request always shares the request's variables.",
  }),
  keepaliveRequests: field("auth-keepalive-requests", {
    requires: "auth-keepalive",
    example: "1000",
    kind: integer({ max: 1_000_000_000 }),
    fallback: () => 1000,
    doc: "Auth requests on one kept connection.",
  }),
  keepaliveTimeout: field("auth-keepalive-timeout", {
    requires: "auth-keepalive",
    example: "60",
    kind: integer({ max: 2_073_600 }),
    fallback: () => 60,
    doc: "Seconds that an idle connection is kept.",
  }),
  snippet: textField("auth-snippet", {
    example: "proxy_set_header X-Team shop;",
    kind: snippet,
    onBad: "reject",
    risk: "Critical",
    declares: true,
    doc: "Directives for the location of the auth request, if the operator allows snippets.",
  }),
};

export const externalAuth = resolvedFeature({
  name: "external-auth",
  scope: "location",
  guard: true,
  gate: "url",
  fields,
  withoutLua: {
    signin: (value) =>
      ownQuestion(value)?.signin
        ? otherwise(
            "static mode cannot escape the address that the client came from, so the page gets it up to the first &",
          )
        : undefined,
    responseHeaders: (value) =>
      ownQuestion(value) &&
      otherwise(
        "static mode passes on only the first of several headers of one name, and only the first of several cookies",
      ),
    keepalive: (value) =>
      ownQuestion(value)?.only200
        ? otherwise("static mode takes every 2xx of the auth service for a yes, not 200 alone")
        : undefined,
  },
  resolve: (values, context): Resolved<ExternalAuth> => {
    const { settings } = context;
    const { useGlobal, headers: reference, snippet, ...own } = values;
    if (own.url === "") return { value: useGlobal ? globalAuth(settings) : { kind: "none" } };
    const host = hostOfUrl(own.url);
    if (host === undefined)
      return refused(context, "auth-url", { why: `${own.url} is not an absolute http or https URL` });
    const why = whyNotOrigin(originOf(own.url)!, context.asked);
    if (why !== undefined) return refused(context, "auth-url", { why: `${shown(own.url)} is not asked: ${why}` });
    const headers = reference === "" ? noHeaders : headersFrom(reference, context);
    if (!headers.ok) return refused(context, "auth-proxy-set-headers", headers.reason);
    const kept = keepsAlive(values);
    const pool = kept ? poolOf(own.url, host, values, context) : undefined;
    const poolWhy = pool && whyNotHost(pool.address, pool.port, context.asked);
    if (poolWhy !== undefined)
      return refused(context, "auth-url", { why: `${shown(own.url)} is not asked: ${poolWhy}` });
    const permit = permitFor(settings);
    const question: Question = {
      ...own,
      by: "ingress",
      host,
      headers: headers.headers,
      pool,
      only200: kept && !settings.useHttp2 && !host.includes("$"),
      snippet: snippet === "" || permit === undefined ? undefined : Token.snippet(snippet, permit),
      declares: permit === undefined ? [] : variablesDeclaredIn(snippet),
    };
    const problems = [
      ...headers.problems,
      ...(kept && pool === undefined ? [useless(context, "auth-keepalive", notKept)] : []),
    ];
    return { value: { kind: "ask", question }, problems };
  },
  // nginx sends one auth request for each request, so two services cannot be combined.
  both: (one, other) => {
    if (one.kind === "none" || other.kind === "refuse") return other;
    return other.kind === "none" || one.kind === "refuse" || isSame(one, other) ? one : undefined;
  },
  asksOthers: ({ kind }) => kind === "ask",
  // The auth service of a filter replaces the operator's.
  forRoute: (value, { asks }): ExternalAuth => (asks === undefined ? value : { kind: "none" }),
  identifies: ({ kind }) => kind !== "none",
  framesRequests: (value) => value.kind === "ask" && value.question.pool?.apart === true,
  variables: [
    "auth_url",
    "auth_host",
    "auth_redirect",
    "auth_signin",
    "auth_method",
    "auth_cookies_always",
    "auth_passed",
    "auth_found",
  ],
  view: externalAuthView,
  requestHeaders: answeredHeaders,
  answerHeaders: passedCookies,
  declares: (value) => (value.kind === "ask" ? value.question.declares : []),
  ofRoutes: { filters: [filter] },
});

function isSame(one: ExternalAuth, other: ExternalAuth): boolean {
  const snippetOf = (value: ExternalAuth) => (value.kind === "ask" ? String(value.question.snippet) : "");
  return isDeepStrictEqual(one, other) && snippetOf(one) === snippetOf(other);
}

/** Returns the subrequest that the Ingress itself configures. */
function ownQuestion(value: ExternalAuth): Question | undefined {
  return value.kind === "ask" && value.question.by !== "operator" ? value.question : undefined;
}

type HeadersFrom =
  | { readonly ok: true; readonly headers: readonly FollowedHeader[]; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly reason: Why };

const noHeaders: HeadersFrom = { ok: true, headers: [], problems: [] };

/**
 * Reads the headers of the subrequest from a ConfigMap. One entry that cannot be a header closes
 * all paths, because an auth service that misses a header might let a request pass. An entry about
 * the connection is only left out: the subrequest sets these headers itself, and recipes for nginx
 * often have an empty Content-Length.
 */
function headersFrom(reference: string, context: Context): HeadersFrom {
  if (!reference.includes("/")) return { ok: false, reason: { why: `${reference} is not namespace/name` } };
  const found = named<ConfigMap>(reference, "ConfigMap", context.configMap, context);
  if (!found.ok) return found;
  const bad: Problem[] = [];
  const { kept, left } = withoutReserved(entriesOf(found.object));
  const data = Object.fromEntries(kept.map(({ name, value }) => [name, value]));
  const headers = headersOf({ ...found.object, data }, context.settings, bad, context.declares);
  const first = bad[0];
  if (first !== undefined) return { ok: false, reason: { why: `ConfigMap ${reference}, ${sentence(first)}` } };
  return {
    ok: true,
    headers,
    problems: left.map((why) => leftOut(context, "auth-proxy-set-headers", `ConfigMap ${reference}, ${why}`)),
  };
}

function entriesOf({ data = {} }: ConfigMap): readonly FollowedHeader[] {
  return Object.entries(data).map(([name, value]) => ({ name, value }));
}

const notKept = "connections are kept to an IP address or to a Service with a cluster IP, and auth-url names neither";

/** The operator's external authentication, for every Ingress that has none of its own (RS-16.9). */
function globalAuth(settings: Settings): ExternalAuth {
  const { globalAuthUrl: auth, globalAuthSnippet: snippet } = settings;
  if (auth.kind !== "ask") return auth;
  const host = hostOfUrl(auth.url);
  if (host === undefined) return { kind: "refuse" };
  const question = {
    by: "operator" as const,
    url: auth.url,
    host,
    method: settings.globalAuthMethod,
    signin: settings.globalAuthSignin ?? "",
    redirectParam: settings.globalAuthSigninRedirectParam ?? "rd",
    responseHeaders: settings.globalAuthResponseHeaders,
    headers: [],
    requestRedirect: settings.globalAuthRequestRedirect ?? "",
    alwaysSetCookie: settings.globalAuthAlwaysSetCookie,
    cacheKey: settings.globalAuthCacheKey ?? "",
    cacheDurations: settings.globalAuthCacheDuration,
    pool: undefined,
    only200: false,
    snippet: snippet === "" ? undefined : (declarations.globalAuthSnippet.kind.view(snippet) as Token),
    declares: [],
  };
  return { kind: "ask", question };
}
