/**
 * Names beside its own that a host answers to: aliases, and the other of `www.host` and `host` where that redirects to it.
 * A name goes to the host of that name if some Ingress has one, else to the host whose twin it is, else to the first host, by
 * name, that lists it as an alias.
 */
import { catchAll } from "../model/configuration.ts";
import type { Problem } from "../problem.ts";
import type { Claim } from "./claim.ts";

export interface WantedNames {
  readonly aliases: readonly string[];
  readonly twin: string | undefined;
}

const noNames: WantedNames = { aliases: [], twin: undefined };

/** `claims` are those of the host but canaries, oldest first. */
export function wantedNames(host: string, claims: readonly Claim[]): WantedNames {
  const listed = claims.find(({ values }) => values.aliases.names.length > 0)?.values.aliases.names ?? [];
  const twin = claims.some(({ values }) => values.redirects.twin) ? twinOf(host) : undefined;
  if (listed.length === 0) return twin === undefined ? noNames : { aliases: [], twin };
  const aliases = new Set(listed.flatMap((name) => (name.startsWith(".") ? [name.slice(1), `*${name}`] : [name])));
  aliases.delete(host);
  return { aliases: [...aliases], twin };
}

/** What of the wanted names comes to nothing, said to the Ingress that is heard. */
export function nameProblems(
  host: string,
  claims: readonly Claim[],
  names: WantedNames,
  ownerOf: (name: string) => string | undefined,
): Problem[] {
  const lister = claims.find(({ values }) => values.aliases.names.length > 0);
  const redirecting = claims.find(({ values }) => values.redirects.twin);
  const problems = names.aliases.flatMap((name): Problem[] => {
    const owner = ownerOf(name);
    if (lister === undefined || owner === host) return [];
    const why = owner === name ? `${name} is the host of an Ingress` : `${name} is an alias of ${owner} already`;
    return [{ object: lister.object, kind: "annotation-useless", key: "server-alias", why }];
  });
  if (redirecting !== undefined && names.twin === undefined) {
    const why = `${host === catchAll ? "a rule without a host" : host} has no name with or without www.`;
    problems.push({ object: redirecting.object, kind: "annotation-useless", key: "from-to-www-redirect", why });
  }
  return problems;
}

/** Undefined where there is none: of the catch-all, and of a wildcard. */
export function twinOf(host: string): string | undefined {
  if (host === catchAll || host.startsWith("*.")) return undefined;
  return host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`;
}

/** Which host has which name, kept as hosts come and go. */
export class HostNames {
  readonly #wanted = new Map<string, WantedNames>();
  readonly #aliasOf = new Map<string, Set<string>>();
  readonly #twinOf = new Map<string, string>();

  /** Takes in what `host` wants, undefined where there is no such host any more; gives all other hosts that it may concern. */
  set(host: string, wanted: WantedNames | undefined): ReadonlySet<string> {
    const before = this.#wanted.get(host);
    for (const name of before?.aliases ?? []) this.#aliasOf.get(name)?.delete(host);
    if (before?.twin !== undefined) this.#twinOf.delete(before.twin);
    for (const name of wanted?.aliases ?? []) this.#aliasOf.set(name, (this.#aliasOf.get(name) ?? new Set()).add(host));
    if (wanted?.twin !== undefined) this.#twinOf.set(wanted.twin, host);
    if (wanted === undefined) this.#wanted.delete(host);
    else this.#wanted.set(host, wanted);
    const concerned = new Set<string>();
    if ((before === undefined) !== (wanted === undefined)) this.#addUsers(host, concerned);
    for (const name of [...namesIn(before), ...namesIn(wanted)]) this.#addUsers(name, concerned);
    concerned.delete(host);
    return concerned;
  }

  ownerOf(name: string): string | undefined {
    if (this.#wanted.has(name)) return name;
    return this.#twinOf.get(name) ?? [...(this.#aliasOf.get(name) ?? [])].sort()[0];
  }

  wantedBy(host: string): WantedNames {
    return this.#wanted.get(host) ?? noNames;
  }

  #addUsers(name: string, users: Set<string>): void {
    for (const host of this.#aliasOf.get(name) ?? []) users.add(host);
    const twin = this.#twinOf.get(name);
    if (twin !== undefined) users.add(twin);
  }
}

function namesIn({ aliases, twin }: WantedNames = noNames): readonly string[] {
  return twin === undefined ? aliases : [...aliases, twin];
}
