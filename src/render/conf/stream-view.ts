/**
 * What `stream.tmpl` sees (RS-26 and RS-27). With TLS passthrough the stream block has the https port: it reads the SNI and
 * sends every connection, with a PROXY header, to a unix socket: that of our own TLS listener, which takes the client's
 * address from the header, or one for each passthrough host, which drops the header before its backend.
 */

import { shortHash } from "../../directives/short-hash.ts";
import { Token, type View } from "../../directives/token.ts";
import type { Certificate, Endpoint, StreamServer } from "../../model/configuration.ts";
import type { Table } from "../../model/table.ts";
import { settings as declarations } from "../../settings/registry.ts";
import { snippet } from "../../settings/snippet.ts";
import { gatewayStreamsView } from "../gateway/stream-views.ts";
import { addressesOf } from "../settings/listen.ts";
import type { AboutServers } from "./server-views.ts";

const timeoutKind = declarations.proxyProtocolHeaderTimeout.kind;

export function streamView(
  { settings, machine, parts }: AboutServers,
  streams: readonly StreamServer[],
  snippets: readonly string[],
  certificates: Table<Certificate>,
): View {
  const { capabilities, ports, passthrough } = machine;
  const empty = streams.length === 0 && snippets.length === 0 && settings.streamSnippet === "";
  if (!capabilities.stream || (empty && !passthrough)) return false;
  const listen = (port: number, ...parameters: string[]) =>
    addressesOf(settings, machine).map((address) => Token.words([`${address}${port}`, ...parameters].map(Token.name)));
  const proxied = settings.useProxyProtocol ? ["proxy_protocol"] : [];
  return {
    ...(parts.stream as unknown as Record<string, View>),
    passthrough: passthrough && {
      listen: listen(ports.https, ...proxied),
      headerTimeout: settings.useProxyProtocol && timeoutKind.view(settings.proxyProtocolHeaderTimeout),
      ownTls: Token.word(`unix:${machine.paths.tlsSocket}`),
      hosts: streams.flatMap((server) =>
        server.kind === "passthrough" ? [hostView(server, machine.paths.sockets)] : [],
      ),
    },
    services: streams.flatMap((server) =>
      server.kind === "tcp" || server.kind === "udp" ? [serviceView(server, listen)] : [],
    ),
    gateways: gatewayStreamsView(
      streams.filter((server) => server.kind === "gateway"),
      { settings, machine, certificates },
    ),
    snippets: snippets.map((text) => snippet.view(text)),
    responses: Token.count(settings.proxyStreamResponses),
  };
}

type PortServer = Extract<StreamServer, { readonly kind: "tcp" | "udp" }>;

function serviceView(server: PortServer, listen: (port: number, ...parameters: string[]) => Token[]): View {
  const { kind, port, endpoints, acceptProxyProtocol, sendProxyProtocol } = server;
  const parameters = [...(kind === "udp" ? ["udp"] : []), ...(acceptProxyProtocol ? ["proxy_protocol"] : [])];
  return {
    name: Token.name(`${kind}_${port}`),
    label: Token.name(server.label),
    listen: listen(port, ...parameters),
    servers: endpoints.map(addressOf),
    udp: kind === "udp",
    sendProxyProtocol,
  };
}

function hostView({ host, endpoints }: Extract<StreamServer, { readonly kind: "passthrough" }>, sockets: string): View {
  const hash = shortHash(host);
  return {
    host: Token.mapKey(host),
    name: Token.name(`passthrough_${hash}`),
    socket: Token.word(`unix:${sockets}/p-${hash}.sock`),
    servers: endpoints.map(addressOf),
  };
}

function addressOf({ address, port }: Endpoint): Token {
  return Token.name(address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`);
}
