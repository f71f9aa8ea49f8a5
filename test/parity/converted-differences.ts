/** Recorded cases in which routes act differently from Ingresses. */

/** The findings of the proof: the kinds of differences, and their reasons. */
export const unprovable: Readonly<Record<string, readonly [kinds: string, why: string]>> = {
  "access/auth-cache-per-location": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "access/custom-http-errors-of-the-ingress-replace-global": [
    "annotation",
    "codes of the ConfigMap lead to the default backend for an Ingress, and to default-backend for a route",
  ],
  "access/risk-level-low": [
    "annotation",
    "RouteSettings may not set proxy-body-size where annotations-risk-level is Low, so routes have no limit",
  ],
  "routing/affinity-canary-legacy": [
    "backend",
    "backends of one rule have one affinity, and affinity-canary-behavior: legacy is for canaries alone",
  ],
  "routing/affinity-combined": [
    "backend",
    "several Ingresses share a Service and its cookie; routes have each their own",
  ],
  "routing/affinity-on-alias-wildcard-and-no-host": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/affinity-shared-service": [
    "backend",
    "several Ingresses share a Service and its cookie; routes have each their own",
  ],
  "routing/canary-main-without-endpoints": [
    "answer",
    "a route sends the canary its share where the main Service has no endpoints",
  ],
  "routing/canary-without-endpoints": ["answer", "a route answers 503 for the share of a canary without endpoints"],
  "routing/default-backend-alone": [
    "answer",
    "an Ingress with a default backend alone redirects paths of other Ingresses without a host",
  ],
  "routing/groups-of-the-path": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/host-exact-beats-wildcard": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/host-upper-case": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/host-wildcard-and-catch-all": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/host-wildcard-nested": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/host-wildcard-one-label": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/path-slash-redirect-denied": [
    "answer",
    "PathPrefix takes the path without the slash, too, where the path is closed",
  ],
  "routing/paths-with-odd-letters": ["unclear", "JavaScript does not read one of the patterns, so only nginx can say"],
  "routing/redirects-that-nginx-writes": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/server-alias-clashes": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/tls-below-a-wildcard-host": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/tls-wildcard-host": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/wildcards-aliases-and-tls": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "routing/wildcards-and-exact-hosts": [
    "wildcard-depth",
    "a wildcard takes one label as the host of an Ingress, and several as that of a route",
  ],
  "settings/annotations-risk-level-low": [
    "annotation",
    "RouteSettings may not set proxy-body-size where annotations-risk-level is Low, so routes have no limit",
  ],
  "settings/annotations-risk-level-unknown": [
    "annotation",
    "RouteSettings may not set proxy-body-size where annotations-risk-level is Low, so routes have no limit",
  ],
  "settings/custom-http-errors-bad-codes": [
    "annotation",
    "codes of the ConfigMap lead to the default backend for an Ingress, and to default-backend for a route",
  ],
  "settings/custom-http-errors-with-404-and-no-backend": [
    "annotation",
    "codes of the ConfigMap lead to the default backend for an Ingress, and to default-backend for a route",
  ],
  "settings/flags-default-backend-service/custom-http-errors-and-default-backend-annotation": [
    "annotation",
    "codes of the ConfigMap lead to the default backend for an Ingress, and to default-backend for a route",
  ],
  "settings/proxy-ssl-location-only-off": [
    "annotation",
    "the certificate towards backends is of a host for Ingresses, and of a rule for routes",
  ],
};

/**
 * Cases with different answers that the proof does not find, because it does not compare these
 * parts.
 */
export const answeredOtherwise: Readonly<Record<string, string>> = {
  "access/custom-http-errors-spellings": "error pages are asked for without X-Ingress-Name",
  "access/limit-and-custom-http-errors": "error pages are asked for without X-Ingress-Name",
  "access/limit-rps-counts-per-ingress":
    "the Ingresses of a host become one route, whose requests are counted together",
  "access/refused-edit-keeps-the-old-version": "a refused version is not converted, and the last good one is not known",
  "access/snippets-beside-other-annotations": "error pages are asked for without X-Ingress-Name",
  "routing/www-redirect-combinations": "RequestRedirect names no usual port, and keeps the slash at the end",
  "routing/https-redirect-odd-requests": "a path that no rule has is 404, and an Ingress redirects it to https first",
  "routing/canary-main-without-endpoints": "a route sends the canary its share where the main Service has no endpoints",
  "routing/canary-without-endpoints": "a route answers 503 for the share of a canary without endpoints",
};
