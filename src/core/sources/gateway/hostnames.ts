/**
 * Compares hostnames of listeners and routes. A listener's empty hostname stands for all hosts, and
 * a wildcard for one or more labels.
 */

/**
 * Whether the two have a host in common. Both are in lower case, and an empty one stands for all
 * hosts.
 */
export function intersect(one: string, other: string): boolean {
  if (one === "" || other === "" || one === other) return true;
  if (isWildcard(one) && isWildcard(other)) return one.endsWith(other.slice(1)) || other.endsWith(one.slice(1));
  if (isWildcard(one)) return isBelow(other, one);
  return isWildcard(other) && isBelow(one, other);
}

/** Returns the hosts that the two have in common; undefined if there are none. */
export function intersection(one: string, other: string): string | undefined {
  if (!intersect(one, other)) return undefined;
  return covers(one, other) ? other : one;
}

/** Whether `hostname` includes all hosts of `other`. */
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
