/**
 * Authorities and key pairs of one Ingress, which nginx loads once for each server block and, in
 * static mode, for each path and for the path / that each host has.
 */

import type { Ingress, Secret } from "../../model/objects.ts";
import type { ObjectName } from "../../model/problem.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Reading } from "../../policies/reading.ts";
import type { Settings } from "../../settings/registry.ts";
import { tooMuchTrust } from "../../table/authorities.ts";

/** Returns the bytes that nginx loads. `pathsAreText` is whether each path has them. */
export function bytesLoaded(
  { metadata: { annotations = {} }, spec }: Ingress,
  prefix: string,
  { secrets }: Pick<Snapshot, "secrets">,
  pathsAreText: boolean,
): number {
  const bytes = (key: string) => bytesOf(secrets.get((annotations[`${prefix}/${key}`] ?? "").trim()));
  const [ofBackends, ofClients] = [bytes("proxy-ssl-secret"), bytes("auth-tls-secret")];
  if (ofBackends + ofClients === 0) return 0;
  const { rules = [] } = spec ?? {};
  const hosts = Math.max(1, new Set(rules.map(({ host }) => host)).size);
  const paths = rules.reduce((sum, { http }) => sum + Math.max(http?.paths?.length ?? 0, 1), 0);
  return ofClients * hosts + ofBackends * (pathsAreText ? hosts + paths : hosts);
}

const loaded = ["ca.crt", "ca.crl", "tls.crt", "tls.key"];

const bytesOf = (secret: Secret | undefined): number =>
  loaded.reduce((sum, key) => sum + Math.floor(((secret?.data?.[key]?.length ?? 0) * 3) / 4), 0);

/** Returns the reading of an Ingress that loads nothing, and lets no request pass. */
export function withoutAuthorities(reading: Reading, object: ObjectName, settings: Settings): Reading {
  const { clientCertificate, proxySsl } = reading.values;
  const guards = clientCertificate.kind === "verify";
  const key = proxySsl.kind === "identity" ? "proxy-ssl-secret" : "auth-tls-secret";
  const done = guards ? "every request to its hosts gets 403" : "every request to its paths gets 503";
  return {
    ...reading,
    values: {
      ...reading.values,
      proxySsl: { kind: "none" },
      ...(guards ? { clientCertificate: { kind: "refuse" } } : {}),
    },
    verdict: reading.verdict === "reject" ? "reject" : "deny",
    problems: [tooMuchTrust(object, `annotation ${key}`, settings, done), ...reading.problems],
  };
}
