/**
 * The view Certificates: names, issuers and expiry of the certificates that are served. No key is
 * read.
 */

import { visible } from "../../../base/visible.ts";
import { certificateOf } from "../../../core/certificates/certificate.ts";
import { type Certificate, catchAll } from "../../../core/model/configuration.ts";
import type { CertificateRow, CertificateState } from "../api/certificates.ts";
import { Listing } from "../lists/listing.ts";
import type { TimedProblem } from "../problem-times.ts";
import type { PageSource, Served } from "../source.ts";

/** The same time as in the warning of `src/core/table/hosts/certificate-doubts.ts`. */
const soonMs = 10 * 24 * 3_600_000;
const someHosts = 20;
const mostNames = 100;

export function certificateRows({ configuration, notes, snapshot }: PageSource, now: Date): readonly CertificateRow[] {
  const served = configuration();
  if (served === undefined) return [];
  const hosts = hostsByCertificate(served);
  const { certificates, defaultCertificate } = served;
  const others = [...certificates.values()].filter(({ id }) => id !== defaultCertificate.id);
  const missed = hostsMissed(notes.problems.all);
  const read = ([secret]: readonly [string, unknown]) => {
    const found = certificates.has(secret) ? undefined : snapshot().secrets.get(secret);
    const certificate = found && certificateOf(found);
    return certificate?.ok ? [certificate.certificate] : [];
  };
  return [defaultCertificate, ...others, ...[...missed].flatMap(read)].map((one) => {
    const row = rowOf(one, hosts.get(one.id) ?? [], served, now);
    const uncovered = missed.get(one.id);
    if (uncovered === undefined) return row;
    return { ...row, state: "wrong name", weakness: `it does not cover ${visible(uncovered.slice(0, 5).join(", "))}` };
  });
}

/** Returns the hosts whose TLS names a certificate that is for others, by its Secret. */
function hostsMissed(problems: readonly TimedProblem[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { problem } of problems)
    if (problem.kind === "certificate-misfit")
      found.set(problem.secret, [...(found.get(problem.secret) ?? []), problem.host]);
  return found;
}

export function certificateListing(rows: readonly CertificateRow[]): Listing<CertificateRow> {
  return new Listing(rows, {
    sorts: {
      expires: ({ notAfter }) => notAfter,
      secret: ({ secret }) => secret,
      names: ({ names }) => names[0] ?? "",
      issuer: ({ issuer }) => issuer,
      hosts: ({ hosts }) => hosts,
      state: ({ state }) => state,
      stapling: ({ stapling }) => stapling,
    },
    texts: ({ secret, names, issuer, keyAlgorithm, state, weakness, someHosts: hosts }) => [
      secret,
      ...names,
      issuer,
      keyAlgorithm,
      state,
      weakness,
      ...hosts,
    ],
  });
}

/** Returns hosts of Ingresses and listeners of Gateways, by the id of the Certificate. */
function hostsByCertificate({ servers, listenerPorts }: Served): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const add = (id: string | undefined, host: string) => {
    if (id === undefined) return;
    const hosts = found.get(id);
    if (hosts === undefined) found.set(id, [host]);
    else hosts.push(host);
  };
  for (const { listener, name, certificate, aliases, redirectFrom } of servers.values()) {
    if (listener !== undefined) continue;
    add(certificate, name === catchAll ? "*" : name);
    for (const alias of [...aliases, ...(redirectFrom === undefined ? [] : [redirectFrom])])
      add(alias.certificate, alias.name);
  }
  for (const { listeners } of listenerPorts.values())
    for (const { id, certificates } of listeners) for (const one of certificates) add(one, `listener ${id}`);
  return found;
}

function rowOf(one: Certificate, hosts: readonly string[], served: Served, now: Date): CertificateRow {
  const { id, names, identity, notBefore, notAfter, weakness, fingerprint } = one;
  const { issuerCommonName, issuerOrganization, keyAlgorithm } = identity;
  const issuer = [issuerCommonName, issuerOrganization].filter((name) => name !== "").join(", ");
  return {
    secret: visible(id),
    names: names.slice(0, mostNames).map(visible),
    issuer: visible(issuer),
    keyAlgorithm,
    notBefore: notBefore.toISOString(),
    notAfter: notAfter.toISOString(),
    state: stateOf(one, now),
    weakness: weakness?.why ?? "",
    isDefault: one === served.defaultCertificate,
    hosts: hosts.length,
    someHosts: hosts.slice(0, someHosts),
    stapling: staplingOf(fingerprint, served),
  };
}

function stateOf({ notBefore, notAfter, weakness }: Certificate, now: Date): CertificateState {
  if (notAfter < now) return "expired";
  if (notAfter.getTime() - now.getTime() < soonMs) return "expires soon";
  if (notBefore > now) return "not valid yet";
  return weakness === undefined ? "ok" : "weak";
}

function staplingOf(fingerprint: string, { settings, staples }: Served): CertificateRow["stapling"] {
  if (!settings.enableOcsp) return "off";
  return staples.has(fingerprint) ? "stapled" : "waits for an answer";
}
