/**
 * The host policy: which namespaces alone may use which hosts. It is off unless the operator names
 * where it stands. Hosts that it does not mention are anybody's, so that it can be introduced one
 * host at a time; the entry `*` is for all of those.
 */
import { catchAll } from "../../model/configuration.ts";

export interface HostPolicy {
  /** Namespaces that may use a host, sorted; undefined where every namespace may. */
  ownersOf(host: string): readonly string[] | undefined;
}

/** One host, or several by a wildcard or a suffix, that a namespace is given. */
export interface HostEntry {
  readonly namespace: string;
  /**
   * `shop.example.com`, `*.shop.example.com` (one label more), `.example.com` (itself and all below
   * it), or `*`.
   */
  readonly hosts: string;
}

export const noHostPolicy: HostPolicy = { ownersOf: () => undefined };

/**
 * The most exact of several entries that take a host counts: the name, then a wildcard, then the
 * longest suffix, then `*`.
 */
export function hostPolicyOf(entries: readonly HostEntry[]): HostPolicy {
  if (entries.length === 0) return noHostPolicy;
  const owners = new Map<string, string[]>();
  for (const { namespace, hosts } of entries) owners.set(hosts, [...(owners.get(hosts) ?? []), namespace]);
  for (const [hosts, namespaces] of owners) owners.set(hosts, [...new Set(namespaces)].sort());
  return {
    ownersOf: (host) => {
      for (const name of entriesFor(host)) {
        const found = owners.get(name);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** Spellings under which a host may have been given, the most exact one first. */
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

/** Patterns and the catch-all may stand for any host, so that only the entry `*` takes them. */
const isName = (host: string): boolean => host !== catchAll && /^(?:\*\.)?[^*~.][^*~]*$/.test(host);

/** Whether a namespace may use a host. */
export function permits(policy: HostPolicy, namespace: string, host: string): boolean {
  return policy.ownersOf(host)?.includes(namespace) ?? true;
}
