/**
 * The protocol towards a backend, and the pool of kept connections. nginx finds a kept connection
 * by the address of its peer alone. So each combination of protocol and settings has an `upstream`
 * block, and with it a pool, of its own; otherwise a request without TLS could use a TLS
 * connection, or a verified route an unverified one.
 */
import type { Protocol } from "./place.ts";
import { Token } from "./token.ts";

export type Scheme = "HTTP" | "HTTPS" | "AUTO_HTTP" | "GRPC" | "GRPCS" | "FCGI";

export interface Pool {
  /** `proxy_pass http://…` or the like. */
  readonly pass: Token;
  /** Names of its upstream blocks. With AUTO_HTTP there is one for each scheme of the client. */
  readonly blocks: readonly string[];
}

/**
 * `bases` are names of blocks for plain HTTP, and `chosen` returns one of them. `apart` separates
 * pools of the same scheme; it is empty if nothing separates them.
 */
export function poolOf(scheme: Scheme, bases: readonly string[], apart: string, chosen = Token.name(bases[0]!)): Pool {
  const suffix = `${scheme === "HTTP" ? "" : `_${scheme.toLowerCase()}`}${apart === "" ? "" : `_${apart}`}`;
  const names = bases.map((base) => `${base}${suffix}`);
  const block = suffix === "" ? chosen : Token.conf`${chosen}${Token.name(suffix)}`;
  switch (scheme) {
    case "HTTP":
      return { pass: Token.conf`proxy_pass http://${block}`, blocks: names };
    case "HTTPS":
      return { pass: Token.conf`proxy_pass https://${block}`, blocks: names };
    case "AUTO_HTTP":
      return {
        pass: Token.conf`proxy_pass $scheme://${block}_$scheme`,
        blocks: names.flatMap((name) => [`${name}_http`, `${name}_https`]),
      };
    case "GRPC":
      return { pass: Token.conf`grpc_pass grpc://${block}`, blocks: names };
    case "GRPCS":
      return { pass: Token.conf`grpc_pass grpcs://${block}`, blocks: names };
    case "FCGI":
      return { pass: Token.conf`fastcgi_pass ${block}`, blocks: names };
  }
}

export function protocolOf(scheme: Scheme): Protocol {
  if (scheme === "FCGI") return "fastcgi";
  return scheme === "GRPC" || scheme === "GRPCS" ? "grpc" : "http";
}
