/** Removes from a Claim the hosts that the host policy gives to other namespaces. */
import { catchAll } from "../../model/configuration.ts";
import type { Problem } from "../../model/problem.ts";
import type { Claim, ClaimedPath } from "../../table/claim.ts";
import { twinOf } from "../../table/hosts/names.ts";
import { type HostPolicy, noHostPolicy, permits } from "./policy.ts";

export interface Governed {
  /** Returns the same object if nothing is removed. */
  readonly claim: Claim;
  readonly problems: readonly Problem[];
}

/**
 * Removes hosts, aliases and their certificates from an Ingress's Claim, with one Problem for each
 * name.
 */
export function governed(claim: Claim, policy: HostPolicy): Governed {
  if (policy === noHostPolicy) return { claim, problems: [] };
  const { namespace } = claim.owner;
  const isAllowed = (host: string) => permits(policy, namespace, host);
  // The alias .example.com is the name itself and all names below it.
  const isAllowedAlias = (name: string) =>
    name.startsWith(".") ? isAllowed(name.slice(1)) && isAllowed(`*${name}`) : isAllowed(name);
  const lost = [...claim.hosts].filter(([host]) => !isAllowed(host));
  const { aliases, redirects } = claim.features;
  const lostNames = aliases.names.filter((name) => !isAllowedAlias(name));
  const lostTwins = redirects.twin ? [...claim.hosts.keys()].filter((host) => !isAllowed(twinOf(host) ?? host)) : [];
  const lostTls = claim.tls.some(({ hosts }) => !hosts.every(isAllowed));
  if (lost.length + lostNames.length + lostTwins.length === 0 && !lostTls) return { claim, problems: [] };
  const refused = (field: string, host: string) => refusal({ claim, field, host, policy });
  const problems = [
    ...lost.map(([host, paths]) => refused(fieldOf(paths), host)),
    ...lostNames.map((name) => refused("annotation server-alias", isAllowed(name) ? namedIn(name, isAllowed) : name)),
    ...lostTwins
      .filter((host) => isAllowed(host))
      .map((host) => refused("annotation from-to-www-redirect", twinOf(host)!)),
  ];
  return {
    claim: {
      ...claim,
      hosts: new Map([...claim.hosts].filter(([host]) => isAllowed(host))),
      answersUnknownHosts: claim.answersUnknownHosts && isAllowed(catchAll),
      features: {
        ...claim.features,
        aliases: { ...aliases, names: aliases.names.filter(isAllowedAlias) },
        // The annotation concerns all hosts, so the redirect stays for all of them or for none.
        redirects: { ...redirects, twin: redirects.twin && lostTwins.length === 0 },
      },
      // A section without hosts means all hosts, so a section that loses all its hosts is removed.
      tls: claim.tls.flatMap((section) => {
        const hosts = section.hosts.filter(isAllowed);
        return hosts.length === 0 && section.hosts.length > 0 ? [] : [{ ...section, hosts }];
      }),
    },
    problems,
  };
}

function fieldOf([path]: readonly ClaimedPath[]): string {
  return path === undefined ? "spec.defaultBackend" : path.field.replace(/\.http\..*$/, ".host");
}

/** Returns the name covered by the alias .example.com that belongs to another namespace. */
function namedIn(alias: string, isAllowed: (host: string) => boolean): string {
  return isAllowed(alias.slice(1)) ? `*${alias}` : alias.slice(1);
}

interface Refused {
  readonly claim: Claim;
  readonly field: string;
  readonly host: string;
  readonly policy: HostPolicy;
}

function refusal({ claim, field, host, policy }: Refused): Problem {
  const owners = policy.ownersOf(host) ?? [];
  return { object: claim.owner, kind: "host-refused", field, host: host === catchAll ? "*" : host, owners };
}
