/**
 * What the stream block has for Gateways. A port of TLS reads the name that a client sends and
 * passes the bytes on to a pool, or to a socket of this nginx where TLS ends. Connections that no
 * backend is to have go to a socket that closes them.
 */
import type { Machine } from "../../directives/machine.ts";
import { shortHash } from "../../directives/short-hash.ts";
import { Token, type View } from "../../directives/token.ts";
import type { Certificate } from "../../model/configuration.ts";
import type { GatewayStream, StreamHost } from "../../model/streams.ts";
import type { Table } from "../../model/table.ts";
import type { Settings } from "../../settings/registry.ts";
import { listenLine } from "../conf/source-map.ts";
import { gatewayAddresses } from "../gateway/listen.ts";
import { certificateFiles, type RenderedFile } from "../rendered-files.ts";
import { directivesOf } from "../settings/directives.ts";
import {
  endSocket,
  frontView,
  hasEnd,
  namesOf,
  otherwiseOf,
  poolOf,
  refusing,
  requestsOf,
  type StreamWorld,
} from "./front-views.ts";
import { isFront } from "./fronts.ts";
import { hostPool, isOpen, shareOf, weightOf } from "./pools.ts";

/** The files of the certificates with which TLS of streams ends. */
export function streamFiles(
  streams: readonly GatewayStream[],
  certificates: Table<Certificate>,
): readonly RenderedFile[] {
  const ids = new Set(streams.flatMap(({ hosts }) => hosts.flatMap((host) => host.certificates ?? [])));
  return [...ids].flatMap((id) => {
    const found = certificates.get(id);
    return found === undefined ? [] : certificateFiles(pairName(id), found);
  });
}

/** False where there are none. */
export function gatewayStreamsView(streams: readonly GatewayStream[], world: StreamWorld): View {
  if (streams.length === 0) return false;
  const { settings, machine } = world;
  const { onHttps } = world.fronts;
  const hosts = streams.flatMap((stream) => stream.hosts.map((host) => ({ stream, host })));
  return {
    refusing: refusing(machine),
    tlsDirectives: tlsDirectives(settings, machine),
    shares: hosts.flatMap(({ stream, host }) => shareView(stream, host)),
    servers: streams.filter((one) => one !== onHttps).map((stream) => serverView(stream, world)),
    ends: hosts.flatMap(({ stream, host }) => endView(stream, host, world)),
    responses: Token.count(settings.proxyStreamResponses),
  };
}

function pairName(id: string): string {
  return `stream-${shortHash(id)}`;
}

function shareView(stream: GatewayStream, host: StreamHost): View[] {
  const open = host.backends.filter(isOpen);
  if (open.length === 0 || open.length === host.backends.length) return [];
  const pool = hostPool(stream, host);
  const refused = 100 * (1 - weightOf(open) / weightOf(host.backends));
  return [
    {
      variable: Token.variable(shareOf(pool)),
      pool: Token.name(pool),
      /** nginx takes two decimals of a percentage. */
      refused: Token.name(`${Math.min(99.99, Math.max(0.01, refused)).toFixed(2)}`),
      udp: stream.protocol === "udp",
    },
  ];
}

function serverView(stream: GatewayStream, world: StreamWorld): View {
  const { protocol } = stream;
  const [only] = stream.hosts;
  return {
    listen: listenLines(stream, world),
    udp: protocol === "udp",
    names: protocol === "tls" && namesView(stream, world),
    front: isFront(stream) && frontView(world),
    pool: (protocol !== "tls" && only !== undefined && poolOf(stream, only)) || false,
  };
}

function namesView(stream: GatewayStream, { machine }: StreamWorld): View {
  const requests = isFront(stream) ? requestsOf(stream, machine) : undefined;
  return {
    variable: Token.variable(`gateway_${shortHash(stream.id)}_to`),
    otherwise: otherwiseOf(stream, machine),
    hosts: namesOf(stream, machine, requests).map(({ host, to }) => ({ host, to })),
  };
}

/**
 * The server behind the socket of a host, where TLS ends or the PROXY header of a front; none where
 * there is no backend or no certificate for it.
 */
function endView(stream: GatewayStream, host: StreamHost, { machine, certificates }: StreamWorld): View[] {
  const pool = poolOf(stream, host);
  if (pool === undefined || stream.protocol !== "tls" || !hasEnd(stream, host)) return [];
  const pairs = (host.certificates ?? []).filter((id) => certificates.has(id));
  if (host.certificates !== undefined && pairs.length === 0) return [];
  const file = (id: string, ending: string) =>
    listenLine(Token.word(`${machine.paths.root}/tls/${pairName(id)}.${ending}`), stream.id);
  return [
    {
      socket: endSocket(stream, host, machine),
      proxied: isFront(stream),
      tls: pairs.length > 0,
      pairs: pairs.map((id) => ({ certificate: file(id, "crt"), key: file(id, "key") })),
      pool,
    },
  ];
}

const ofTls = ["ssl_protocols", "ssl_ciphers", "ssl_prefer_server_ciphers", "ssl_ecdh_curve", "ssl_dhparam"];

/** The operator's, which hold for requests, too. */
function tlsDirectives(settings: Settings, machine: Machine): View {
  return directivesOf(settings, machine.capabilities, machine)
    .http.filter(({ name }) => ofTls.includes(String(name)))
    .map((one) => ({ ...one }) as unknown as View);
}

function listenLines(
  { id, address, listenPort, protocol }: GatewayStream,
  { settings, machine }: StreamWorld,
): Token[] {
  const { ports } = machine;
  const isBesideIngresses = address !== undefined && (listenPort === ports.http || listenPort === ports.https);
  const parameters = [
    // Without, datagrams of one client may come to workers that do not know its session.
    ...(protocol === "udp" ? ["udp", "reuseport"] : isBesideIngresses ? ["reuseport"] : []),
    ...(protocol !== "udp" && settings.useProxyProtocol ? ["proxy_protocol"] : []),
  ];
  return gatewayAddresses(address, settings, machine).map((one) =>
    listenLine(Token.words([`${one}${listenPort}`, ...parameters].map(Token.name)), id),
  );
}
