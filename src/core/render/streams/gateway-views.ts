/**
 * The part of the stream block for Gateways. A port of TLS reads the name that a client sends and
 * passes the bytes on to a pool, or to a socket of this nginx if TLS ends. Connections without a
 * backend go to a socket that closes them.
 */

import { pairsFor } from "../../certificates/choice.ts";
import type { Certificate } from "../../model/configuration.ts";
import type { GatewayStream, StreamHost } from "../../model/streams.ts";
import type { Table } from "../../model/table.ts";
import { streamTlsView } from "../../policies/backend-tls/text.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { Token, type View } from "../../tokens/token.ts";
import { listenLine } from "../conf/source-map.ts";
import { gatewayAddresses } from "../gateway/listen.ts";
import { certificateFiles, filesOf, type RenderedFile } from "../rendered-files.ts";
import { directivesOf } from "../settings/directives.ts";
import {
  endSocket,
  frontView,
  groupSocket,
  hasEnd,
  namesOf,
  otherwiseOf,
  poolOf,
  refusing,
  requestsOf,
  type StreamWorld,
} from "./front-views.ts";
import { isFront } from "./fronts.ts";
import { groupsOf, hostPool, isOpen, shareOf, weightOf } from "./pools.ts";

/** Returns the files of certificates: those with which streams end TLS, and those for backends. */
export function streamFiles(
  streams: readonly GatewayStream[],
  certificates: Table<Certificate>,
  root: string,
): readonly RenderedFile[] {
  const files: RenderedFile[] = [];
  for (const { hosts } of streams) {
    for (const { tls } of hosts.flatMap(({ backends }) => backends))
      if (tls !== undefined) streamTlsView(tls, filesOf(root, files));
  }
  const shown = ({ hostname, certificates: ids = [] }: StreamHost) => pairsFor(hostname, ids, certificates);
  const ids = new Set(streams.flatMap(({ hosts }) => hosts.flatMap(shown)));
  const pairs = [...ids].flatMap((id) => {
    const found = certificates.get(id);
    return found === undefined ? [] : certificateFiles(pairName(id), found);
  });
  return [...pairs, ...files];
}

/** Returns false if there are none. */
export function gatewayStreamsView(streams: readonly GatewayStream[], world: StreamWorld): View {
  if (streams.length === 0) return false;
  const { settings, machine } = world;
  const { onHttps } = world.fronts;
  const hosts = streams.flatMap((stream) => stream.hosts.map((host) => ({ stream, host })));
  return {
    refusing: refusing(machine),
    tlsDirectives: tlsDirectives(settings, machine),
    shares: hosts.flatMap(({ stream, host }) => shareView(stream, host, machine)),
    servers: streams.filter((one) => one !== onHttps).map((stream) => serverView(stream, world)),
    ends: hosts.flatMap(({ stream, host }) => [...endView(stream, host, world), ...groupViews(stream, host, machine)]),
    responses: Token.count(settings.proxyStreamResponses),
  };
}

function pairName(id: string): string {
  return `stream-${shortHash(id)}`;
}

function shareView(stream: GatewayStream, host: StreamHost, machine: Machine): View[] {
  const open = host.backends.filter(isOpen);
  const groups = groupsOf(stream, host);
  const isWhole = open.length === host.backends.length;
  if (open.length === 0 || (isWhole && groups.length === 1)) return [];
  const whole = weightOf(host.backends);
  const [first, ...others] = groups.map((group) => ({
    to: groups.length > 1 && group.tls !== undefined ? groupSocket(group, machine) : Token.name(group.pool),
    part: percentage(weightOf(group.backends), whole),
  }));
  return [
    {
      variable: Token.variable(shareOf(hostPool(stream, host))),
      refused: !isWhole && percentage(whole - weightOf(open), whole),
      others,
      pool: first!.to,
      udp: stream.protocol === "udp",
    },
  ];
}

/** Returns a percentage with two decimals, the most that nginx accepts. */
function percentage(weight: number, whole: number): Token {
  return Token.name(`${Math.min(99.99, Math.max(0.01, (100 * weight) / whole)).toFixed(2)}`);
}

/**
 * Returns servers that use TLS towards some backends of a host, while other backends need another
 * way.
 */
function groupViews(stream: GatewayStream, host: StreamHost, machine: Machine): View[] {
  const groups = host.backends.some(isOpen) ? groupsOf(stream, host) : [];
  if (groups.length < 2) return [];
  return groups.flatMap((group) =>
    group.tls === undefined
      ? []
      : [
          {
            socket: groupSocket(group, machine),
            proxied: false,
            tls: false,
            pairs: [],
            proxySsl: streamTlsView(group.tls, filesOf(machine.paths.root, [])),
            pool: Token.name(group.pool),
          },
        ],
  );
}

function serverView(stream: GatewayStream, world: StreamWorld): View {
  const { protocol } = stream;
  const [only] = stream.hosts;
  return {
    listen: listenLines(stream, world),
    udp: protocol === "udp",
    names: protocol === "tls" && namesView(stream, world),
    front: isFront(stream) && frontView(world),
    // A client may end its part and wait for the answer. On a front, nginx would keep a connection
    // that its own sockets have closed until the client closes it, too.
    halfClose: protocol !== "udp" && !isFront(stream),
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
 * Returns the server behind the socket of a host, which ends TLS or removes the PROXY header of a
 * front. There is none without a backend, or without a certificate for it.
 */
function endView(stream: GatewayStream, host: StreamHost, { machine, certificates }: StreamWorld): View[] {
  const pool = poolOf(stream, host);
  if (pool === undefined || stream.protocol !== "tls" || !hasEnd(stream, host)) return [];
  const pairs = pairsFor(host.hostname, host.certificates ?? [], certificates);
  if (host.certificates !== undefined && pairs.length === 0) return [];
  const [group, ...more] = groupsOf(stream, host);
  const file = (id: string, ending: string) =>
    listenLine(Token.word(`${machine.paths.root}/tls/${pairName(id)}.${ending}`), stream.id);
  return [
    {
      socket: endSocket(stream, host, machine),
      proxied: isFront(stream),
      proxySsl:
        more.length === 0 && group?.tls !== undefined && streamTlsView(group.tls, filesOf(machine.paths.root, [])),
      tls: pairs.length > 0,
      pairs: pairs.map((id) => ({ certificate: file(id, "crt"), key: file(id, "key") })),
      pool,
    },
  ];
}

const ofTls = ["ssl_protocols", "ssl_ciphers", "ssl_prefer_server_ciphers", "ssl_ecdh_curve", "ssl_dhparam"];

/** Returns the operator's TLS settings, which hold for requests, too. */
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
    // Without `reuseport`, datagrams of one client may reach workers that do not know its session.
    ...(protocol === "udp" ? ["udp", "reuseport"] : isBesideIngresses ? ["reuseport"] : []),
    ...(protocol !== "udp" && settings.useProxyProtocol ? ["proxy_protocol"] : []),
  ];
  return gatewayAddresses(address, settings, machine).map((one) =>
    listenLine(Token.words([`${one}${listenPort}`, ...parameters].map(Token.name)), id),
  );
}
