/**
 * The annotations of external authentication. The consequence of a wrong value follows
 * ingress-nginx, except where that would let every request pass.
 */
import { optional } from "../../kinds/combine.ts";
import type { Kind } from "../../kinds/kind.ts";
import { integer } from "../../kinds/numbers.ts";
import { settableHeaderNames } from "../../kinds/reserved-headers.ts";
import { oneOf } from "../../kinds/words.ts";
import { snippet } from "../../settings/snippet.ts";
import { field, textField, toggle } from "../declare.ts";
import { referenceField } from "../reference.ts";
import {
  cacheDurations,
  cacheKey,
  cacheKeyNaming,
  plainText,
  questionUrl,
  questionUrlNaming,
  signinUrl,
  signinUrlNaming,
  usualDurations,
} from "./kinds.ts";

/**
 * Guides write `$request_uri` or `$escaped_request_uri` here, also behind `https://$host`. The auth
 * service gets the request's URI without the annotation.
 */
const withoutUri: Kind<string> = {
  ...plainText,
  read: (text) => {
    const read = plainText.read(text);
    if (read.ok || !/\$\{?(escaped_)?request_uri\b/.test(text)) return read;
    return { ...read, why: `${read.why}; remove it, because the request's URI is sent without it` };
  },
};

export const fields = {
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
