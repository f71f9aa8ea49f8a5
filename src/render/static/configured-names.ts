/**
 * Whether TLS is configured for a name that only a pattern takes, in text: then the name is known
 * at the request alone, so a `map` answers (RS-11.2). There is one only where some wildcard has TLS
 * configured, since an exact name never meets a pattern.
 */

import { Token } from "../../directives/token.ts";
import { formOf } from "../../kinds/server-names.ts";
import { type Alias, catchAll, type Server } from "../../model/configuration.ts";

/** What the map's answer is called. */
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
 * Whether names that it takes are not written in it: an alias, since a host's own wildcard has one
 * answer for all of them.
 */
export function isPattern({ name }: Pick<Alias, "name">, host: string): boolean {
  return name !== host && formOf(name) !== "exact";
}

function isConfiguredWildcard({ name, tlsConfigured }: Pick<Alias, "name" | "tlsConfigured">): boolean {
  return tlsConfigured && name !== catchAll && name.startsWith("*.");
}
