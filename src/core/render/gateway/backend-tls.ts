/**
 * The directives for backends over TLS with a BackendTLSPolicy. nginx finds a kept connection by
 * the address of its peer alone, so each set of directives has connections of its own.
 */

import type { Authorities, BackendTls } from "../../model/backend-tls.ts";
import type { Place, ServerPlace } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";

/** The most authorities between the certificate of a backend and a trusted one. */
const depth = 10;

/** Returns the view of `templates/proxy-ssl.tmpl`. */
export function backendTlsView(tls: BackendTls, place: Place): View {
  const lines = backendTlsLines(tls, place, place.protocol === "grpc" ? "grpc_ssl" : "proxy_ssl");
  place.pooledApart(lines.map(([name, value]) => `${name} ${value}`).join("\n"));
  return viewOf(lines);
}

/** Returns the directives for a server of the stream module. */
export function streamTlsView(tls: BackendTls, place: ServerPlace): View {
  return viewOf([["proxy_ssl", Token.conf`on`], ...backendTlsLines(tls, place, "proxy_ssl")]);
}

type Line = readonly [name: string, value: Token];

const viewOf = (lines: readonly Line[]): View =>
  lines.map(([name, value]): View => ({ name: Token.name(name), value }));

/** Returns the names and values of the directives. */
export function backendTlsLines(
  { authorities, hostname, names, identity }: BackendTls,
  place: ServerPlace,
  prefix: "grpc_ssl" | "proxy_ssl",
): readonly Line[] {
  const pair: readonly Line[] =
    identity === undefined
      ? []
      : [
          [`${prefix}_certificate`, Token.word(place.file("loaded", identity.chain))],
          [`${prefix}_certificate_key`, Token.word(place.file("loaded", identity.key.reveal()))],
        ];
  return [
    ...pair,
    [`${prefix}_trusted_certificate`, fileOf(authorities, place)],
    [`${prefix}_verify`, Token.conf`on`],
    [`${prefix}_verify_depth`, Token.count(depth)],
    [`${prefix}_protocols`, Token.conf`TLSv1.2 TLSv1.3`],
    [`${prefix}_name`, Token.text(hostname)],
    [`${prefix}_server_name`, Token.conf`on`],
    ...(names.length === 0 ? [] : [["upstream_ssl_verify_san", Token.words(names.map(Token.text))] as const]),
  ];
}

function fileOf(authorities: Authorities, place: ServerPlace): Token {
  return Token.word(authorities.kind === "file" ? authorities.path : place.file("loaded", authorities.text));
}
