/**
 * The longest lists by the names of their fields, as in the definitions of the Gateway API. The
 * cost of an object is their product: each host of a route has each of its matches on each listener
 * of its parents.
 */
export const longestLists = {
  ...{ parentRefs: 32, hostnames: 16, rules: 16, matches: 64 },
  ...{ headers: 16, queryParams: 16, filters: 16, backendRefs: 16 },
  ...{ listeners: 64, certificateRefs: 64, addresses: 16 },
} as const;

/** The most hostnames of a TLSRoute, which has no matches. */
export const mostNamesOfTls = 1_024;

/** The most matches in all rules of a route together. */
export const mostMatches = 128;
