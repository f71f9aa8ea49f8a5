/**
 * Finds the Certificate of a host, and whether TLS is configured for it. A host with TLS but
 * without a Certificate of its own uses the default one. A host under a wildcard with TLS has TLS,
 * too.
 */
import { certificateOf, isValidFor } from "../../certificates/certificate.ts";
import { formOf } from "../../kinds/server-names.ts";
import { type Alias, catchAll, type Weakness } from "../../model/configuration.ts";
import { notFound } from "../../model/missing.ts";
import type { Problem } from "../../model/problem.ts";
import { byAge } from "../age.ts";
import type { Claim } from "../claim.ts";
import type { World } from "../world.ts";
import type { HostOwner } from "./owner.ts";

export interface HostTls {
  /** Whether its own Claims configure TLS. */
  readonly configured: boolean;
  /** The key of the Secret with a Certificate that is valid for the host. */
  readonly certificate: string | undefined;
  /** The weakness of that certificate. */
  readonly weakness: Weakness | undefined;
  /** Keys of the Secrets that were searched for it. */
  readonly secrets: readonly string[];
  readonly problems: readonly Problem[];
  /** The Claim that configures TLS; undefined if none does. */
  readonly winner: Claim | undefined;
}

const withoutTls: HostTls = {
  configured: false,
  certificate: undefined,
  weakness: undefined,
  secrets: [],
  problems: [],
  winner: undefined,
};

/**
 * Finds the TLS of a host. The oldest Claim with a TLS section decides (RS-10.1), and in it the
 * entry that lists the host, or else the first that fits. If the namespace of the host's oldest
 * Claim has no such section, another one counts only with a Certificate that is valid for the host.
 * Otherwise the whole host would be redirected to https and get a wrong certificate.
 */
export function tlsOf(host: string, claims: readonly Claim[], world: World, owner: HostOwner): HostTls {
  const candidates = host === catchAll ? [] : claims.filter(hasTls);
  const own = candidates.find(owner.mayDecide);
  if (own !== undefined) return tlsBy(host, own, world);
  const secrets: string[] = [];
  const problems: Problem[] = [];
  for (const claim of candidates) {
    const brought = tlsBy(host, claim, world);
    secrets.push(...brought.secrets);
    if (brought.certificate !== undefined && brought.weakness === undefined) return { ...brought, secrets };
    problems.push(...brought.problems, overruled(claim, owner, brought));
  }
  return { ...withoutTls, secrets, problems };
}

/** Whether a Claim has a TLS section. */
export function hasTls({ tls }: Claim): boolean {
  return tls.length > 0;
}

function overruled({ owner: object }: Claim, { why }: HostOwner, { weakness }: HostTls): Problem {
  const lacking =
    weakness === undefined ? "it brings no certificate for the host" : `its certificate is weak, ${weakness.why}`;
  const done = "TLS is configured for its own paths alone";
  return { object, kind: "claim-lost", field: "spec.tls", why: `${why()}; ${lacking}`, done };
}

function tlsBy(host: string, claim: Claim, world: World): HostTls {
  const { owner: object } = claim;
  const problems: Problem[] = [];
  const candidates = candidatesOf(host, claim);
  const secrets = candidates.map(({ secret }) => secret);
  for (const { field, secret, lists } of candidates) {
    const found = world.secret(secret);
    if (found === undefined) {
      const reason = { ...notFound("Secret", secret), why: "not found" };
      problems.push({ object, kind: "secret-unusable", field, secret, ...reason });
      continue;
    }
    const read = certificateOf(found);
    if (!read.ok) problems.push({ object, kind: "secret-unusable", field, secret, why: read.why });
    else if (isValidFor(read.certificate, host)) {
      const why = world.brokenSecret(secret);
      if (why !== undefined) problems.push({ object, kind: "secret-kept", field, secret, why });
      const { weakness } = read.certificate;
      return { configured: true, certificate: secret, weakness, secrets, problems, winner: claim };
    } else if (lists) {
      const names = read.certificate.names.join(", ") || "no name at all";
      problems.push({ object, kind: "certificate-misfit", secret, host, names });
    }
  }
  return { ...withoutTls, configured: true, secrets, problems, winner: claim };
}

/** Returns the Secrets to search, in their order. */
function candidatesOf(host: string, { tls }: Claim) {
  const entries = tls.map(({ field, hosts, secret }) => ({ field, lists: hosts.includes(host), secret }));
  const listing = entries.find(({ lists }) => lists);
  const searched = listing === undefined ? entries : [listing];
  return searched.filter(({ secret }) => secret !== "");
}

/**
 * Returns the aliases. An alias has the host's certificate if that covers it, and only then TLS is
 * configured for the alias (RS-10.8, RS-11.2).
 */
export function aliasesOf(
  names: readonly string[],
  { certificate }: HostTls,
  world: World,
  oldest: Claim | undefined,
): Alias[] {
  const secret = certificate === undefined ? undefined : world.secret(certificate);
  const read = secret && certificateOf(secret);
  return names.map((name) => {
    const covered = read?.ok === true && isValidFor(read.certificate, name);
    return {
      name,
      certificate: covered ? certificate : undefined,
      tlsConfigured: covered || isCovered(name, world, oldest),
    };
  });
}

/**
 * Whether TLS is configured for a wildcard above the name. `oldest` is the oldest Claim of the
 * name's host.
 */
export function isCovered(name: string, world: World, oldest: Claim | undefined): boolean {
  const parent = parentOf(name);
  return parent !== undefined && world.isTlsConfigured(parent, oldest);
}

/**
 * Whether a wildcard's TLS counts for a host below it: if it has the same namespace, is older, or
 * has a certificate.
 */
export function covers({ configured, certificate, winner }: HostTls, oldest: Claim | undefined): boolean {
  if (!configured || winner === undefined) return false;
  if (certificate !== undefined || oldest === undefined) return true;
  return winner.owner.namespace === oldest.owner.namespace || byAge(winner.since, oldest.since) < 0;
}

/** Returns the wildcard one label above an exact name. */
export function parentOf(name: string): string | undefined {
  return formOf(name) === "exact" && name.includes(".") ? `*${name.slice(name.indexOf("."))}` : undefined;
}
