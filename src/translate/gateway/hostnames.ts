/**
 * Hostnames of listeners and routes. An empty one, of a listener, takes all hosts; a wildcard takes
 * one label or more.
 */

/** Whether some host is taken by both. Both are in lower case; an empty one takes all. */
export function intersect(one: string, other: string): boolean {
  if (one === "" || other === "" || one === other) return true;
  if (isWildcard(one) && isWildcard(other)) return one.endsWith(other.slice(1)) || other.endsWith(one.slice(1));
  if (isWildcard(one)) return isBelow(other, one);
  return isWildcard(other) && isBelow(one, other);
}

/** The hosts that both take; undefined where there are none. */
export function intersection(one: string, other: string): string | undefined {
  if (!intersect(one, other)) return undefined;
  return covers(one, other) ? other : one;
}

/** Whether `hostname` takes all that `other` takes. */
export function covers(hostname: string, other: string): boolean {
  if (hostname === "" || hostname === other) return true;
  return other !== "" && isWildcard(hostname) && isBelow(other, hostname);
}

function isWildcard(name: string): boolean {
  return name.startsWith("*.");
}

function isBelow(host: string, wildcard: string): boolean {
  return host.length > wildcard.length - 1 && host.endsWith(wildcard.slice(1));
}
