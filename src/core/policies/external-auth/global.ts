/** The operator's external authentication, for every Ingress that has none of its own (RS-16.9). */

import { settings as declarations, type Settings } from "../../settings/registry.ts";
import type { Token } from "../../tokens/token.ts";
import { hostOfUrl } from "./kinds.ts";
import type { ExternalAuth } from "./question.ts";

export function globalAuth(settings: Settings): ExternalAuth {
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
