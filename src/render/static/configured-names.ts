/**
 * Whether TLS is configured for a name that only a pattern takes (static mode). The name is only
 * known at the request, so a `map` decides (RS-11.2). It exists only where a wildcard has TLS
 * configured, because an exact name never meets a pattern.
 */

import { Token } from "../../directives/token.ts";
import { formOf } from "../../kinds/server-names.ts";
import { type Alias, catchAll, type Server } from "../../model/configuration.ts";

/** The variable with the map's result. */
export const configuredName = Token.variable("tls_of_host");

/** The map; undefined where no wildcard has TLS configured. */
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
 * Whether it takes names that its text does not show: an alias does, while a host's own wildcard
 * has one answer for all names.
 */
export function isPattern({ name }: Pick<Alias, "name">, host: string): boolean {
  return name !== host && formOf(name) !== "exact";
}

function isConfiguredWildcard({ name, tlsConfigured }: Pick<Alias, "name" | "tlsConfigured">): boolean {
  return tlsConfigured && name !== catchAll && name.startsWith("*.");
}
