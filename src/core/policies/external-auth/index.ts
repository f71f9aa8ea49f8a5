/**
 * External authentication: nginx sends an auth request to a service before each request (RS-16). An
 * auth service that cannot be set up closes the paths with 503. ingress-nginx drops the whole check
 * if one of three annotations is unreadable (RS-2.9).
 */

import { isDeepStrictEqual } from "node:util";
import { whyNotHost } from "../../kinds/asked.ts";
import { originOf, whyNotOrigin } from "../../kinds/checked-name.ts";
import { variablesDeclaredIn } from "../../kinds/declared-variables.ts";
import { shown } from "../../kinds/kind.ts";
import { withoutReserved } from "../../kinds/reserved-headers.ts";
import type { ConfigMap } from "../../model/objects.ts";
import { type Problem, sentence, type Why } from "../../model/problem.ts";
import type { FollowedHeader } from "../../settings/followed.ts";
import { headersOf } from "../../settings/read-followed.ts";
import { permitFor } from "../../settings/snippet.ts";
import { Token } from "../../tokens/token.ts";
import { type Context, type Resolved, resolvedFeature } from "../declare.ts";
import { leftOut, refused, useless } from "../problems.ts";
import { named } from "../reference.ts";
import { otherwise } from "../without-lua.ts";
import { fields } from "./fields.ts";
import { globalAuth } from "./global.ts";
import { hostOfUrl } from "./kinds.ts";
import { keepsAlive, poolOf } from "./pool.ts";
import type { ExternalAuth, Question } from "./question.ts";
import { answeredHeaders, externalAuthView, passedCookies } from "./view.ts";

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
