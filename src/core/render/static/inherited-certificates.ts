/**
 * Certificates by SNI without Lua: a name without one gets the certificate of the wildcard one
 * label above (RS-10.5), as in `nginx/lua/sluice/certificate.lua`. A weak certificate is used for
 * its own host alone, which has suitable ciphers: nginx would refuse it elsewhere.
 */
import { formOf } from "../../kinds/server-names.ts";
import type { Alias, Certificate, Server } from "../../model/configuration.ts";
import type { Table } from "../../model/table.ts";

/** Ids of Certificates by wildcard, such as `*.example.com`. */
export type WildcardCertificates = ReadonlyMap<string, string>;

export function wildcardCertificates(
  servers: Iterable<Server<unknown>>,
  certificates: Table<Certificate>,
): WildcardCertificates {
  const found = new Map<string, string>();
  for (const server of servers) {
    for (const { name, certificate } of [server, ...server.aliases]) {
      if (certificate === undefined || !name.startsWith("*.")) continue;
      if (certificates.get(certificate)?.weakness === undefined) found.set(name, certificate);
    }
  }
  return found;
}

/**
 * Returns the Server with the Certificate for each of its names. It is the same Server if it
 * inherits none.
 */
export function withInherited<F>(server: Server<F>, wildcards: WildcardCertificates): Server<F> {
  const names: readonly Alias[] = [server, ...server.aliases, ...(server.redirectFrom ? [server.redirectFrom] : [])];
  if (wildcards.size === 0 || names.every((one) => above(one, wildcards) === undefined)) return server;
  const served = <N extends Alias>(one: N): N => ({ ...one, certificate: one.certificate ?? above(one, wildcards) });
  const { aliases, redirectFrom } = server;
  return { ...served(server), aliases: aliases.map(served), redirectFrom: redirectFrom && served(redirectFrom) };
}

function above({ name, certificate }: Alias, wildcards: WildcardCertificates): string | undefined {
  const dot = name.indexOf(".");
  if (certificate !== undefined || dot < 1 || formOf(name) !== "exact") return undefined;
  return wildcards.get(`*${name.slice(dot)}`);
}
