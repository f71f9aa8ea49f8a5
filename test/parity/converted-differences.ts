/** Lists the recorded cases in which routes act differently from Ingresses. */

const depth = "a wildcard host of an Ingress matches one label, and that of a route matches several";
const cookieOfPattern = "the path of the cookie is a pattern, and that of a route is the part before it";

/** The differences that the proof finds: their kinds and reasons, by case. */
export const unprovable: Readonly<Record<string, readonly [kinds: string, why: string]>> = {
  "access/auth-cache-per-location": ["wildcard-depth", depth],
  "access/risk-level-low": [
    "annotation",
    "RouteSettings may not set proxy-body-size where annotations-risk-level is Low, so routes have no limit",
  ],
  "routing/affinity-canary-legacy": [
    "backend, balance",
    "backends of one rule have one affinity, and affinity-canary-behavior: legacy is for canaries alone",
  ],
  "routing/affinity-canary-sticky": [
    "backend",
    "a client stays with the canary that served it, and among rules of a route it does not",
  ],
  "routing/affinity-combined": [
    "balance, cookie-path",
    "several Ingresses share a Service and its cookie, and one has a pattern for its path; routes have each their own",
  ],
  "routing/affinity-on-alias-wildcard-and-no-host": ["wildcard-depth", depth],
  "routing/affinity-shared-service": [
    "balance",
    "several Ingresses share a Service and its cookie; routes have each their own",
  ],
  "routing/affinity-with-regex": ["cookie-path", cookieOfPattern],
  "routing/canary-main-without-endpoints": [
    "answer",
    "a route sends the canary its share where the main Service has no endpoints",
  ],
  "routing/canary-without-endpoints": ["answer", "a route answers 503 for the share of a canary without endpoints"],
  "routing/groups-of-the-path-in-other-values": [
    "balance, cookie-path",
    "several Ingresses share a Service and how it is balanced, and one has a pattern for the path of its cookie; routes have each their own",
  ],
  "routing/host-exact-beats-wildcard": ["wildcard-depth", depth],
  "routing/host-upper-case": ["wildcard-depth", depth],
  "routing/host-wildcard-and-catch-all": ["wildcard-depth", depth],
  "routing/host-wildcard-literal": ["wildcard-depth", depth],
  "routing/host-wildcard-nested": ["wildcard-depth", depth],
  "routing/host-wildcard-one-label": ["wildcard-depth", depth],
  "routing/path-slash-redirect-denied": [
    "answer",
    "PathPrefix takes the path without the slash, too, where the path is closed",
  ],
  "routing/paths-with-odd-letters": ["unclear", "JavaScript does not read one of the patterns, so only nginx can say"],
  "routing/redirects-that-nginx-writes": ["wildcard-depth", depth],
  "routing/regex-exact-and-prefix-among-others": ["wildcard-depth", depth],
  "routing/server-alias-clashes": ["wildcard-depth", depth],
  "routing/tls-below-a-wildcard-host": ["wildcard-depth", depth],
  "routing/tls-wildcard-host": ["wildcard-depth", depth],
  "routing/wildcards-aliases-and-tls": ["wildcard-depth", depth],
  "routing/wildcards-and-exact-hosts": ["wildcard-depth", depth],
  "settings/annotations-risk-level-low": [
    "annotation",
    "RouteSettings may not set proxy-body-size where annotations-risk-level is Low, so routes have no limit",
  ],
  "settings/annotations-risk-level-unknown": [
    "annotation",
    "RouteSettings may not set proxy-body-size where annotations-risk-level is Low, so routes have no limit",
  ],
  "settings/proxy-ssl-location-only-off": [
    "annotation",
    "the certificate towards backends is of a host for Ingresses, and of a rule for routes",
  ],
};

/**
 * Headers of error pages that name objects: after the conversion they name the route in place of
 * the Ingress, and the number of a port in place of its name.
 */
export const ofObjects: Readonly<Record<string, (text: string) => string>> = {
  "x-ingress-name": (text) => (text === "" ? "" : "<name>"),
  "x-service-port": (text) => (text === "" ? "" : "<port>"),
};

/**
 * Cases that the sample always contains, beside every twelfth: each of them has shown a mistake in
 * the serving of routes.
 */
export const alwaysReplayed: readonly string[] = [
  "access/custom-http-errors",
  "access/snippet-rewrites-and-goes-on",
  "routing/catch-all-health-and-status",
  "routing/default-backend-alone",
  "routing/groups-of-the-path",
  "routing/hsts",
  "routing/implicit-root-and-its-owner",
  "settings/custom-http-errors-with-404-and-no-backend",
  "settings/groups-of-the-path-in-the-configmap",
];

const noRule = "a path that no rule has is 404, and an Ingress guards or redirects it first";
const otherName = "the handshake names another host, for which the Gateway API demands 421";
const refused = "a version that is refused is not converted, and the last good one is not known";
const sharedCookie = "several Ingresses share a Service and its cookie; routes have each their own";
const spelling = "a route keeps the client's spelling behind a rewrite, and an Ingress decodes it";
const slash = "from-to-www-redirect drops the slash at the end of the path, and RequestRedirect keeps it";

/** Requests that routes answer differently, by their numbers in the case, with the reason. */
export const answeredOtherwise: Readonly<Record<string, readonly [requests: readonly number[], why: string]>> = {
  "access/auth-signin-and-cors": [[2], "the redirect that adds a slash has the headers of CORS on routes"],
  "access/auth-signin-variables-of-snippets": [[14], "$ingress_name is the name of the route"],
  "access/variables-of-the-template-in-snippets": [[1], "$ingress_name is the name of the route"],
  "access/auth-tls-sni-and-host": [[2], otherName],
  "access/auth-url-reaches-the-implicit-root": [[1], noRule],
  "access/basic-auth-reaches-the-implicit-root": [[1], noRule],
  "access/body-size-and-order": [[10], "the slash is added before the size of the body is looked at"],
  "access/limit-rps-counts-per-ingress": [
    [3, 4],
    "the Ingresses of a host become one route, whose requests are counted together",
  ],
  "access/refused-edit-keeps-the-old-version": [[2], refused],
  "routing/affinity-canary-legacy": [[1, 2, 3], "backends of one rule have one affinity"],
  "routing/affinity-canary-sticky": [[2], "a client does not stay with the canary among rules of a route"],
  "routing/affinity-combined": [[3, 13, 14], sharedCookie],
  "routing/affinity-shared-service": [[1], sharedCookie],
  "routing/affinity-with-regex": [[1], cookieOfPattern],
  "routing/app-root": [[6], "permanent-redirect names the usual port, and app-root that of the request"],
  "routing/app-root-combinations": [[10], noRule],
  "routing/canary-main-without-endpoints": [
    [1],
    "a route sends the canary its share where the main Service has no endpoints",
  ],
  "routing/canary-without-endpoints": [[1], "a route answers 503 for the share of a canary without endpoints"],
  "routing/groups-of-the-path-in-other-values": [[11, 27], cookieOfPattern],
  "routing/host-wildcard-and-catch-all": [[4], depth],
  "routing/host-wildcard-literal": [[2, 3, 4, 5], depth],
  "routing/host-wildcard-nested": [[4], depth],
  "routing/host-wildcard-one-label": [[3], depth],
  "routing/https-redirect-odd-requests": [[17], noRule],
  "routing/implicit-root-and-its-owner": [[6, 11, 15], noRule],
  "routing/path-slash-redirect-denied": [
    [5],
    "PathPrefix takes the path without the slash, too, where the path is closed",
  ],
  "routing/redirects-that-nginx-writes": [[14, 15], depth],
  "routing/redirects-together": [[30], slash],
  "routing/rewrite-and-raw-uri": [[73, 75, 85, 87], spelling],
  "routing/rewrite-encoded-path": [[2], spelling],
  "routing/rewrite-odd-paths": [[4], spelling],
  "routing/rewrite-target-elsewhere": [[3], noRule],
  "routing/ssl-redirect-per-ingress": [[3], noRule],
  "routing/tls-below-a-wildcard-host": [[5], depth],
  "routing/tls-sni-chooses-the-certificate": [[1, 2, 3], otherName],
  "routing/tls-wildcard-host": [[3], depth],
  "routing/update-rejected-keeps-the-old": [[2], refused],
  "routing/wildcards-aliases-and-tls": [[11], depth],
  "routing/wildcards-and-exact-hosts": [[7], depth],
  "routing/www-redirect-combinations": [[2], slash],
  "routing/www-redirect-from-bare": [[3], slash],
  "settings/flags-ports/other-ports": [[5], "a redirect names the port of the listener, and that of an Ingress none"],
  "settings/proxy-ssl-location-only-off": [
    [2],
    "the certificate towards backends is of a host for Ingresses, and of a rule for routes",
  ],
};
