/**
 * Decides about further names of a host: aliases, and its www twin if that redirects to it. A
 * name goes to the host of that name if there is one, else to the host whose twin it is, else to
 * the first host, by name, that lists it as an alias. Between namespaces the older host keeps its
 * names.
 */

import { formOf } from "../../kinds/server-names.ts";
import { catchAll } from "../../model/configuration.ts";
import type { Problem } from "../../model/problem.ts";
import type { Settings } from "../../settings/registry.ts";
import { Allowance, longestName } from "../../tokens/pattern-bounds.ts";
import { type Age, byAge } from "../age.ts";
import type { Claim } from "../claim.ts";
import { mayTake } from "./name-patterns.ts";
import { hostOwner } from "./owner.ts";

export interface WantedNames {
  readonly aliases: readonly string[];
  readonly twin: string | undefined;
  /** Namespace and age of the oldest owner of the host; undefined if they do not matter. */
  readonly since?: Age | undefined;
}

const noNames: WantedNames = { aliases: [], twin: undefined };

/**
 * The most aliases times hosts of one object. With more there would be tens of millions of names,
 * so only its first host has aliases then.
 */
export const mostNames = 10_000;

/**
 * Returns the names that a host wants. `claims` are those of the host without canaries, oldest
 * first, at least one.
 */
export function wantedNames(host: string, claims: readonly Claim[], settings: Settings): WantedNames {
  const { mayDecide, oldest } = hostOwner(host, claims, settings);
  const deciding = claims.filter(mayDecide);
  const since = settings.allowCrossNamespaceHostSettings ? undefined : oldest?.since;
  const lister = deciding.find(({ features }) => features.aliases.names.length > 0);
  const listed = lister === undefined || isLeftOut(host, lister) ? [] : lister.features.aliases.names;
  const twin = deciding.some(({ features }) => features.redirects.twin) ? twinOf(host) : undefined;
  if (listed.length === 0) return { aliases: noNames.aliases, twin, since };
  const aliases = new Set(listed.flatMap((name) => (name.startsWith(".") ? [name.slice(1), `*${name}`] : [name])));
  aliases.delete(host);
  aliases.delete(catchAll);
  return { aliases: [...aliases], twin, since };
}

const isTooMany = ({ hosts, features }: Claim): boolean => hosts.size * features.aliases.names.length > mostNames;
const firstHosts = new WeakMap<Claim, string>();
const isLeftOut = (host: string, claim: Claim): boolean => isTooMany(claim) && host !== firstHost(claim);

/** Returns the first host of a Claim. It is cached, because each host of the Claim needs it. */
function firstHost(claim: Claim): string {
  const first = firstHosts.get(claim) ?? [...claim.hosts.keys()].sort()[0] ?? "";
  firstHosts.set(claim, first);
  return first;
}

/** Returns Problems about wanted names that the host does not get, for the owner in force. */
export function nameProblems(
  host: string,
  claims: readonly Claim[],
  names: WantedNames,
  ownerOf: (name: string) => string | undefined,
): Problem[] {
  const lister = claims.find(({ features }) => features.aliases.names.length > 0);
  const redirecting = claims.find(({ features }) => features.redirects.twin);
  if (lister === undefined && redirecting === undefined) return [];
  const problems = names.aliases.flatMap((name): Problem[] => {
    const owner = ownerOf(name);
    if (lister === undefined || owner === host) return [];
    const why =
      owner === undefined
        ? `${name} and the older regular expressions of this namespace cost each request too much`
        : owner === name
          ? `${name} is the host of an ${lister.owner.kind}`
          : formOf(name) !== "exact" && formOf(owner) !== "exact"
            ? `${name} takes names that host ${owner} of another namespace has`
            : `${name} is a name of host ${owner} already`;
    // A Claim on several hosts keeps the alias for one of them.
    if (owner !== undefined && owner !== name && lister.hosts.has(owner)) return [lessFor(lister, host, name, owner)];
    const kind = names.aliases.length === 1 ? "annotation-useless" : "annotation-partly";
    return [{ object: lister.owner, kind, key: "server-alias", why }];
  });
  // `_` means the catch-all everywhere else, but is only a plain name in server_name.
  if (lister?.features.aliases.names.includes(catchAll))
    problems.push({
      object: lister.owner,
      kind: "annotation-useless",
      key: "server-alias",
      why: `no client requests a host called ${catchAll}`,
    });
  if (lister !== undefined && isTooMany(lister) && host === firstHost(lister)) {
    const why = `${lister.features.aliases.names.length} names for each of its ${lister.hosts.size} hosts are more than ${mostNames}; host ${host} alone gets them`;
    problems.push({ object: lister.owner, kind: "annotation-useless", key: "server-alias", why });
  }
  if (redirecting !== undefined && names.twin === undefined) {
    const why = `${host === catchAll ? "a rule without a host" : host} has no name with or without www.`;
    problems.push({ object: redirecting.owner, kind: "annotation-useless", key: "from-to-www-redirect", why });
  }
  if (redirecting !== undefined) problems.push(...takenTwin(host, redirecting, names.twin, ownerOf));
  return problems;
}

/** Reports a www twin that is a host of its own. Of two twins of one Claim only one is reported. */
function takenTwin(
  host: string,
  { owner: object, hosts }: Claim,
  twin: string | undefined,
  ownerOf: (name: string) => string | undefined,
): Problem[] {
  if (twin === undefined || ownerOf(twin) !== twin || (host.startsWith("www.") && hosts.has(twin))) return [];
  const why = `${twin} is a host of its own, so it does not redirect to ${host}`;
  return [{ object, kind: "annotation-doubtful", key: "from-to-www-redirect", why }];
}

function lessFor(lister: Claim, host: string, name: string, owner: string): Problem {
  const why = `${name} can only be the alias of one host, so ${owner} has it, and ${host} does not`;
  return { object: lister.owner, kind: "annotation-partly", key: "server-alias", why };
}

const isRegex = (name: string): boolean => name.startsWith("~");

/** Returns the www twin; undefined for the catch-all and for a wildcard, which have none. */
export function twinOf(host: string): string | undefined {
  if (host === catchAll || host.startsWith("*.")) return undefined;
  return host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`;
}

/** Knows which host has which name while hosts are added and removed. */
export class HostNames {
  readonly #wanted = new Map<string, WantedNames>();
  readonly #aliasOf = new Map<string, Set<string>>();
  readonly #twinOf = new Map<string, string>();
  /**
   * Hosts with names that cannot be listed, because of a wildcard or an alias that is a pattern.
   */
  readonly #wildcards = new Set<string>();
  readonly #withPatterns = new Set<string>();
  /**
   * Results of `ownerOf` since the last change, because thousands of hosts may need the owner of
   * one name.
   */
  readonly #owners = new Map<string, string | undefined>();
  /** The regular expressions of each namespace that fit into its budget; undefined if unknown. */
  #affordable: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** Names whose host may have changed since the last call of `concerned`. */
  readonly #touched = new Set<string>();
  #touchedPatterns = false;

  /** Sets the names that `host` wants; undefined means that the host is gone. */
  set(host: string, wanted: WantedNames | undefined): void {
    if (this.#owners.size > 0) this.#owners.clear();
    const before = this.#wanted.get(host);
    for (const name of before?.aliases ?? []) this.#aliasOf.get(name)?.delete(host);
    if (before?.twin !== undefined) this.#twinOf.delete(before.twin);
    for (const name of wanted?.aliases ?? []) this.#aliasOf.set(name, (this.#aliasOf.get(name) ?? new Set()).add(host));
    if (wanted?.twin !== undefined) this.#twinOf.set(wanted.twin, host);
    if (wanted === undefined) this.#wanted.delete(host);
    else this.#wanted.set(host, wanted);
    if (!isSame(before?.since, wanted?.since) || (before === undefined) !== (wanted === undefined))
      this.#touched.add(host);
    for (const name of [...namesIn(before), ...namesIn(wanted)]) this.#touched.add(name);
    if (!this.#notePatterns(host, wanted)) return;
    this.#touchedPatterns = true;
    this.#affordable = undefined;
  }

  /**
   * Returns the hosts that any change since the last call may affect. Each name is followed once,
   * however many hosts want it.
   */
  concerned(): ReadonlySet<string> {
    const hosts = new Set<string>();
    for (const name of this.#touched) {
      if (this.#wanted.has(name)) hosts.add(name);
      for (const host of this.#aliasOf.get(name) ?? []) hosts.add(host);
      const twin = this.#twinOf.get(name);
      if (twin !== undefined) hosts.add(twin);
    }
    if (this.#touchedPatterns) for (const other of this.#withPatterns) hosts.add(other);
    this.#touched.clear();
    this.#touchedPatterns = false;
    return hosts;
  }

  /**
   * Returns the host that gets a name: among those of the oldest namespace, the host of exactly
   * that name wins.
   */
  ownerOf(name: string): string | undefined {
    if (!this.#isContested(name)) return this.#wanted.has(name) ? name : undefined;
    if (!this.#owners.has(name)) this.#owners.set(name, this.#findOwner(name));
    return this.#owners.get(name);
  }

  /** Whether any other host than the one with this name may have the name, which is seldom true. */
  #isContested(name: string): boolean {
    return this.#aliasOf.has(name) || this.#twinOf.has(name) || formOf(name) !== "exact";
  }

  #findOwner(name: string): string | undefined {
    const isPattern = formOf(name) !== "exact";
    const listing = this.#aliasOf.get(name);
    const twin = this.#twinOf.get(name);
    const aliases = [...(listing ?? [])].sort();
    const wanting = [...(this.#wanted.has(name) ? [name] : []), ...(twin === undefined ? [] : [twin]), ...aliases];
    if (wanting.length < 2 && !isPattern) return wanting[0];
    const first = wanting.reduce((one, other) => (this.#isOlder(other, one) ? other : one), wanting[0] ?? "");
    const owner = wanting.find((one) => !this.#isForeign(one, first));
    if (!isPattern || owner === undefined || owner === name) return owner;
    if (isRegex(name) && !this.#isAffordable(name, owner)) return undefined;
    return this.#keeperOf(name, owner) ?? owner;
  }

  #isAffordable(pattern: string, host: string): boolean {
    this.#affordable ??= new Map(
      [...Map.groupBy(this.#withPatterns, (one) => this.#namespaceOf(one))].map(([namespace, hosts]) => {
        const oldestFirst = hosts
          .sort()
          .sort((one, other) => Number(this.#isOlder(other, one)) - Number(this.#isOlder(one, other)));
        const patterns = new Set(oldestFirst.flatMap((one) => this.wantedBy(one).aliases.filter(isRegex)));
        const allowance = new Allowance(longestName);
        return [namespace, new Set([...patterns].filter((one) => allowance.takes(one)))];
      }),
    );
    return this.#affordable.get(this.#namespaceOf(host))?.has(pattern) === true;
  }

  /** Returns the namespace; empty if hosts are not divided among namespaces. */
  #namespaceOf(host: string): string {
    return this.#wanted.get(host)?.since?.namespace ?? "";
  }

  /** Returns the older host of another namespace from which this alias would take names. */
  #keeperOf(alias: string, host: string): string | undefined {
    const wildcards = [...this.#wildcards].filter((one) => mayTake(alias, host, one));
    const patterns = isRegex(alias) ? [...this.#withPatterns].filter((one) => host < one && this.#hasRegex(one)) : [];
    return [...wildcards, ...patterns].sort().find((one) => this.#isForeign(one, host) && this.#isOlder(one, host));
  }

  #hasRegex(host: string): boolean {
    return this.#wanted.get(host)?.aliases.some(isRegex) === true;
  }

  #isForeign(host: string, other: string): boolean {
    const [one, two] = [this.#wanted.get(host)?.since, this.#wanted.get(other)?.since];
    return one !== undefined && two !== undefined && one.namespace !== two.namespace;
  }

  #isOlder(host: string, other: string): boolean {
    const [one, two] = [this.#wanted.get(host)?.since, this.#wanted.get(other)?.since];
    return one !== undefined && two !== undefined && byAge(one, two) < 0;
  }

  /**
   * Notes whether the host wants names that cannot be listed. Returns whether it wants, or wanted,
   * such names.
   */
  #notePatterns(host: string, wanted: WantedNames | undefined): boolean {
    const had = this.#wildcards.delete(host) || this.#withPatterns.has(host);
    this.#withPatterns.delete(host);
    const isWildcard = wanted !== undefined && host.startsWith("*.");
    const hasPatterns = wanted?.aliases.some((name) => formOf(name) !== "exact") === true;
    if (isWildcard) this.#wildcards.add(host);
    if (hasPatterns) this.#withPatterns.add(host);
    return had || isWildcard || hasPatterns;
  }

  wantedBy(host: string): WantedNames {
    return this.#wanted.get(host) ?? noNames;
  }
}

function isSame(one: Age | undefined, other: Age | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && byAge(one, other) === 0);
}

function namesIn({ aliases, twin }: WantedNames = noNames): readonly string[] {
  return twin === undefined ? aliases : [...aliases, twin];
}
