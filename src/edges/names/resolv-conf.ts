/**
 * Reads `/etc/resolv.conf` as far as address lookups need it (process contract I 70): nameservers,
 * search domains and ndots.
 */
import { isIP } from "node:net";

export interface ResolvConf {
  readonly nameservers: readonly string[];
  readonly search: readonly string[];
  /** A name with at least this many dots is tried as it is before the search domains. */
  readonly ndots: number;
}

export function readResolvConf(text: string): ResolvConf {
  const lines = text.split("\n").map((line) =>
    line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/),
  );
  const valuesOf = (...keys: readonly string[]) =>
    lines.filter(([key = ""]) => keys.includes(key)).map(([, ...rest]) => rest);
  const nameservers = valuesOf("nameserver").map(([address = ""]) => address.replace(/%.*/, ""));
  const ndots = valuesOf("options")
    .flat()
    .flatMap((option) => /^ndots:(\d+)$/.exec(option)?.[1] ?? [])
    .at(-1);
  return {
    nameservers: nameservers.filter((address) => isIP(address) !== 0),
    search: valuesOf("search", "domain").at(-1) ?? [],
    ndots: Math.min(15, Number(ndots ?? 1)),
  };
}

/**
 * Returns the full names that a name may mean, in the order in which they are tried. A trailing dot
 * marks a full name.
 */
export function fullNames(name: string, { search, ndots }: ResolvConf): readonly string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const searched = search.map((domain) => `${name}.${domain.replace(/\.$/, "")}`);
  const dots = name.split(".").length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
