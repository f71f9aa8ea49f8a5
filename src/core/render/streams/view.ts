/**
 * The View of `stream.tmpl` (RS-26 and RS-27). With TLS passthrough, or a TLS listener on the usual
 * https port, the stream block has that port. It reads the SNI and sends every connection, with a
 * PROXY header, to a Unix socket. One socket is our own TLS listener, which takes the client's
 * address from the header. Each host of streams has another one, which removes the header before it
 * connects to the backend.
 */

import type { Certificate, StreamServer } from "../../model/configuration.ts";
import type { Table } from "../../model/table.ts";
import { snippet } from "../../settings/snippet.ts";
import type { Machine } from "../../tokens/machine.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { Token, type View } from "../../tokens/token.ts";
import type { AboutServers } from "../conf/server-views.ts";
import { bracketed } from "../gateway/listen.ts";
import { addressesOf, socketParameters } from "../settings/listen.ts";
import { frontNames, frontView } from "./front-views.ts";
import { gatewayStreamsView } from "./gateway-views.ts";
import { hasEndpointsAsData, type Pool, passthroughPool, poolsOf, portPool, streamService } from "./pools.ts";
import type { WeightedEndpoint } from "./weights.ts";

export function streamView(
  { settings, machine, parts, fronts }: AboutServers,
  streams: readonly StreamServer[],
  snippets: readonly string[],
  certificates: Table<Certificate>,
): View {
  const { capabilities, ports, passthrough } = machine;
  const empty = streams.length === 0 && snippets.length === 0 && settings.streamSnippet === "";
  if (!capabilities.stream || (empty && !passthrough)) return false;
  const listen = (port: number, ...parameters: string[]) =>
    addressesOf(settings, machine).map((address) => Token.words([`${address}${port}`, ...parameters].map(Token.name)));
  const gateways = streams.filter((server) => server.kind === "gateway");
  const world = { settings, machine, certificates, fronts };
  const passed = passthrough ? streams.flatMap((server) => (server.kind === "passthrough" ? [server.host] : [])) : [];
  return {
    ...(parts.stream as unknown as Record<string, View>),
    pools: poolsOf(passthrough ? streams : streams.filter(({ kind }) => kind !== "passthrough"))
      .filter(({ endpoints }) => endpoints.length > 0)
      .map((pool) => poolView(pool, machine)),
    /**
     * Names may have 253 characters. nginx fixes the size of its hash tables at the first map, so
     * the size stands before it.
     */
    longNames: gateways.some(({ protocol }) => protocol === "tls"),
    passthrough: fronts.https && {
      listen: listen(
        ports.https,
        ...socketParameters(settings, machine, fronts.isDivided(ports.https)),
        ...(settings.useProxyProtocol ? ["proxy_protocol"] : []),
      ),
      ...frontView(world),
      ownTls: Token.word(`unix:${machine.paths.tlsSocket}`),
      hosts: passed.map((host) => hostView(host, machine.paths.sockets)),
      gateway: fronts.onHttps !== undefined && {
        hosts: frontNames(fronts.onHttps, world)
          .filter(({ name }) => !passed.includes(name))
          .map(({ host, to }) => ({ host, to })),
      },
    },
    services: streams.flatMap((server) =>
      server.kind === "tcp" || server.kind === "udp" ? [serviceView(server, listen)] : [],
    ),
    gateways: gatewayStreamsView(gateways, world),
    snippets: snippets.map((text) => snippet.view(text)),
    responses: Token.count(settings.proxyStreamResponses),
  };
}

/** The shared memory of all pools together, which has room for some ten thousand endpoints. */
const zone = "sluice_streams 16m";

function poolView({ name, endpoints }: Pool, machine: Machine): View {
  return {
    name: Token.name(name),
    /** nginx repeats a question without an answer after this time. */
    resolved: hasEndpointsAsData(machine) && {
      zone: Token.words(zone.split(" ").map(Token.name)),
      resolver: Token.words(
        [`127.0.0.1:${machine.ports.stream}`, ...(machine.ipv6 ? [] : ["ipv6=off"])].map(Token.name),
      ),
      service: Token.name(`service=${streamService(machine)}`),
    },
    servers: endpoints.map(serverView),
  };
}

function serverView({ endpoint: { address, port }, weight }: WeightedEndpoint): Token {
  const to = Token.name(`${bracketed(address)}${port}`);
  return weight === 1 ? to : Token.words([to, Token.name(`weight=${weight}`)]);
}

type PortServer = Extract<StreamServer, { readonly kind: "tcp" | "udp" }>;

function serviceView(server: PortServer, listen: (port: number, ...parameters: string[]) => Token[]): View {
  const { kind, port, acceptProxyProtocol, sendProxyProtocol } = server;
  const parameters = [...(kind === "udp" ? ["udp"] : []), ...(acceptProxyProtocol ? ["proxy_protocol"] : [])];
  return {
    pool: Token.name(portPool(server)),
    label: Token.name(server.label),
    listen: listen(port, ...parameters),
    udp: kind === "udp",
    sendProxyProtocol,
  };
}

function hostView(host: string, sockets: string): View {
  return {
    host: Token.mapKey(host),
    pool: Token.name(passthroughPool(host)),
    socket: Token.word(`unix:${sockets}/p-${shortHash(host)}.sock`),
  };
}
