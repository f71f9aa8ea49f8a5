/**
 * Decides whether TLS is configured for a name that only a pattern matches (static mode). The name
 * is known only at the request, so a `map` decides (RS-11.2). It exists only if TLS is
 * configured for a wildcard, because an exact name does not need it.
 */

import { formOf } from "../../kinds/server-names.ts";
import { type Alias, catchAll, type Server } from "../../model/configuration.ts";
import { Token } from "../../tokens/token.ts";

/** The variable with the map's result. */
export const configuredName = Token.variable("tls_of_host");

/** Returns the map; undefined if TLS is configured for no wildcard. */
export function configuredNames(servers: Iterable<Server<unknown>>): Token | undefined {
  const names = [...servers].flatMap((server) => [server, ...server.aliases]).filter(isConfiguredWildcard);
  if (names.length === 0) return undefined;
  const lines = [...new Set(names.map(({ name }) => name))].sort().map((name) => {
    const parent = name.slice(1).replaceAll(".", "\\.");
    return Token.conf`${Token.pattern(`~^[\\w-]+${parent}$`)} 1;`;
  });
  return Token.conf`map $host ${configuredName} { default ""; ${Token.words(lines)} }`;
}

/**
 * Whether it is a pattern, whose names may have different answers. This holds for aliases, while a
 * host's own wildcard has one answer for all names.
 */
export function isPattern({ name }: Pick<Alias, "name">, host: string): boolean {
  return name !== host && formOf(name) !== "exact";
}

function isConfiguredWildcard({ name, tlsConfigured }: Pick<Alias, "name" | "tlsConfigured">): boolean {
  return tlsConfigured && name !== catchAll && name.startsWith("*.");
}
