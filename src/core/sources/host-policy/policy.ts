/**
 * The host policy decides which namespaces may use which hosts. It is off unless the operator names
 * its source. Any namespace may use a host that it does not mention, so that it can be introduced
 * one host at a time; the entry `*` covers all of those.
 */
import { catchAll } from "../../model/configuration.ts";

export interface HostPolicy {
  /** Returns the namespaces that may use a host, sorted; undefined if every namespace may. */
  ownersOf(host: string): readonly string[] | undefined;
  /** Returns names and wildcards of entries that a wildcard covers, at any depth. */
  below(wildcard: string): readonly string[];
}

/** One host, or several by a wildcard or a suffix, that belong to a namespace. */
export interface HostEntry {
  readonly namespace: string;
  /**
   * `shop.example.com`, `*.shop.example.com` (one label more), `.example.com` (itself and all below
   * it), or `*`.
   */
  readonly hosts: string;
}

export const noHostPolicy: HostPolicy = { ownersOf: () => undefined, below: () => [] };

/**
 * Makes the policy. The most specific entry for a host counts: the name, then a wildcard, then the
 * longest suffix, then `*`.
 */
export function hostPolicyOf(entries: readonly HostEntry[]): HostPolicy {
  if (entries.length === 0) return noHostPolicy;
  const owners = new Map<string, string[]>();
  for (const { namespace, hosts } of entries) owners.set(hosts, [...(owners.get(hosts) ?? []), namespace]);
  for (const [hosts, namespaces] of owners) owners.set(hosts, [...new Set(namespaces)].sort());
  // The index is made for the first wildcard of a ListenerSet. Most clusters have none.
  let below: ReadonlyMap<string, readonly string[]> | undefined;
  return {
    ownersOf: (host) => {
      for (const name of entriesFor(host)) {
        const found = owners.get(name);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    below: (wildcard) => {
      below ??= bySuffix(owners.keys());
      return below.get(wildcard.slice(1)) ?? [];
    },
  };
}

/** Lists names by what may follow their labels: `a.b.example` by `.b.example` and `.example`. */
function bySuffix(names: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const name of [...names].sort()) {
    const host = name.replace(/^\./, "");
    const labels = host.replace(/^\*\./, "");
    for (let dot = labels.indexOf("."); dot >= 0; dot = labels.indexOf(".", dot + 1)) {
      const suffix = labels.slice(dot);
      const hosts = index.get(suffix) ?? [];
      if (hosts.push(host) === 1) index.set(suffix, hosts);
    }
  }
  return index;
}

/** Yields the entries that may cover a host, the most specific one first. */
function* entriesFor(host: string): Iterable<string> {
  if (isName(host)) {
    yield host;
    const dot = host.indexOf(".");
    if (!host.startsWith("*.") && dot > 0) yield `*${host.slice(dot)}`;
    const name = host.replace(/^\*\./, "");
    for (let at = 0; at >= 0; at = name.indexOf(".", at + 1)) {
      yield at === 0 ? `.${name}` : name.slice(at);
    }
  }
  yield "*";
}

/**
 * Whether it is a name. Patterns and the catch-all may stand for any host, so only the entry `*`
 * covers these.
 */
const isName = (host: string): boolean => host !== catchAll && /^(?:\*\.)?[^*~.][^*~]*$/.test(host);

/** Whether a namespace may use a host. */
export function permits(policy: HostPolicy, namespace: string, host: string): boolean {
  return policy.ownersOf(host)?.includes(namespace) ?? true;
}
