/**
 * Looks up the addresses of one DNS name by the search rules of resolv.conf: IPv4 first, IPv6 if
 * there is none, as ingress-nginx does for ExternalName Services. It queries nameservers only;
 * `/etc/hosts` is for this machine and not for a cluster.
 */
import { NODATA, NOTFOUND, Resolver } from "node:dns/promises";
import { fullNames, type ResolvConf } from "./resolv-conf.ts";

export type Found =
  /** An empty list means that the name certainly does not exist. */
  | { readonly kind: "found"; readonly addresses: readonly string[]; readonly ttlMs: number }
  /** No nameserver gave a valid answer. */
  | { readonly kind: "failed"; readonly why: string };

export type Lookup = (name: string) => Promise<Found>;

export type FamilyLookup = (name: string, family: 4 | 6) => Promise<Found>;

/** The time for which an answer "no such name" is valid. */
const noNameMs = 5_000;

/** Returns a Lookup by these rules. `port` is the port of the nameservers. */
export function dnsLookup(conf: ResolvConf, port = 53): Lookup {
  const lookup = familyLookup(conf.nameservers, port);
  return async (name) => {
    if (name === "localhost") return { kind: "found", addresses: ["127.0.0.1"], ttlMs: 3_600_000 };
    for (const full of fullNames(name, conf)) {
      for (const family of [4, 6] as const) {
        const found = await lookup(full, family);
        if (found.kind === "failed" || found.addresses.length > 0) return found;
      }
    }
    return { kind: "found", addresses: [], ttlMs: noNameMs };
  };
}

/**
 * Looks up the addresses of one family for a complete name. `port` is the port of the nameservers.
 */
export function familyLookup(nameservers: readonly string[], port = 53): FamilyLookup {
  if (nameservers.length === 0) return async () => ({ kind: "failed", why: "resolv.conf names no nameserver" });
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers(
    nameservers.map((address) => (address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`)),
  );
  return (name, family) => ask(resolver, name, family);
}

async function ask(resolver: Resolver, name: string, family: 4 | 6): Promise<Found> {
  const options = { ttl: true } as const;
  try {
    const records = await (family === 4 ? resolver.resolve4(name, options) : resolver.resolve6(name, options));
    // An alias of a name that has no address of this family is an answer without records, and
    // without an error.
    if (records.length === 0) return { kind: "found", addresses: [], ttlMs: noNameMs };
    const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1000;
    return { kind: "found", addresses: records.map(({ address }) => address).sort(), ttlMs };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === NOTFOUND || code === NODATA) return { kind: "found", addresses: [], ttlMs: noNameMs };
    return { kind: "failed", why: message };
  }
}
