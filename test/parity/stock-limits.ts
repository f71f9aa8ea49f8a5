/**
 * Cases that nginx without Lua cannot serve, by reason; `static` mode answers them differently, and
 * `docs/differences.md` lists the same for users. The suite skips them. A case that would pass is
 * removed from the list.
 */
const reasons: Readonly<Record<string, readonly string[]>> = {
  "nginx alone cannot percent-encode a value, so the page that a client came from is told as it was asked": [
    "access/auth-annotations-as-projects-write-them",
    "access/auth-keepalive-signin",
    "access/auth-signin-cookies-of-the-auth-service",
    "access/auth-signin-over-https",
    "access/auth-signin-redirect-param",
    "access/auth-signin-variables-of-snippets",
    "access/auth-signin-with-query",
    "access/auth-url-spellings",
    "access/auth-url-and-custom-errors",
    "access/global-auth-beside-own",
    "access/satisfy-any-and-all-ways",
    "access/satisfy-combinations",
    "settings/global-auth-signin",
    "settings/global-auth-signin-redirect-param",
    "settings/global-auth-signin-variables-of-snippets",
  ],
  "of several headers of one name in the answer of an auth service nginx alone knows the first": [
    "access/auth-response-headers",
  ],
  "nginx alone hashes otherwise than the Lua, and knows no groups of endpoints": [
    "routing/hash-same-endpoint-as-before",
    "routing/upstream-hash-by-subset",
  ],
  "an affinity cookie of nginx alone is a key that is hashed: it knows neither endpoints that failed nor who the client is":
    [
      "routing/affinity-change-on-failure",
      "routing/affinity-combined",
      "routing/affinity-cookie-attributes",
      "routing/affinity-foreign-cookie",
      "routing/affinity-no-change-on-failure",
    ],
  "a snippet of nginx alone cannot name another Service: there is no one upstream for all of them": [
    "access/configuration-snippet-directives",
    "access/configuration-snippet-locations-guarded",
    "access/configuration-snippet-names-the-upstream",
    "access/server-snippet-names-the-upstream",
  ],
  "nginx alone refuses a large body before it knows the location, whose header the answer lacks": [
    "routing/body-too-large-over-https",
  ],
  "nginx alone asks each endpoint once for a request": ["settings/proxy-read-timeout"],
  "the upstream of a location has a name of its own, which is what proxy-redirect-from default speaks of": [
    "settings/proxy-redirect-default",
  ],
  "nginx alone takes every 2xx of an auth service for a yes, with auth-keepalive too": [
    "access/auth-keepalive-invalid",
  ],
};

/** Returns the reason for each case, by its name. */
export function stockLimits(): ReadonlyMap<string, string> {
  return new Map(Object.entries(reasons).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)));
}
