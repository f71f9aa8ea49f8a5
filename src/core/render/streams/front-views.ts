/**
 * The views of ports whose requests arrive through the stream module. Each connection is passed on
 * to a socket with a PROXY header. nginx sends this header to all sockets of a port or to none.
 */

import type { Certificate } from "../../model/configuration.ts";
import type { GatewayStream, StreamHost } from "../../model/streams.ts";
import type { Table } from "../../model/table.ts";
import { settings as declarations, type Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { Token, type View } from "../../tokens/token.ts";
import { type Fronts, isFront, requestSocket } from "./fronts.ts";
import { groupsOf, hostPool, isOpen, type PoolGroup, shareOf } from "./pools.ts";

export interface StreamWorld {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly certificates: Table<Certificate>;
  readonly fronts: Fronts;
}

/** A name that clients send, and the target of its connections. */
export type NameTarget = { readonly name: string; readonly host: Token; readonly to: Token };

const timeoutKind = declarations.proxyProtocolHeaderTimeout.kind;

/** Returns the view of the parts that all fronts have in common. */
export function frontView({ settings, machine }: StreamWorld): { readonly [name: string]: View } {
  const { useProxyProtocol, proxyProtocolHeaderTimeout, proxyRealIpCidr } = settings;
  const isPassedOn = useProxyProtocol && machine.capabilities.streamRealip;
  return {
    headerTimeout: useProxyProtocol && timeoutKind.view(proxyProtocolHeaderTimeout),
    /** The senders whose PROXY header is passed on. */
    trusted: isPassedOn ? [...new Set(proxyRealIpCidr)].map(Token.name) : [],
  };
}

/** Returns the target of a name on a port: a pool or a socket. */
export function targetOf(stream: GatewayStream, host: StreamHost, machine: Machine): Token {
  const pool = poolOf(stream, host);
  if (pool === undefined) return refusing(machine);
  return hasEnd(stream, host) ? endSocket(stream, host, machine) : pool;
}

/**
 * Returns the hosts of a stream that has the usual https port, and names of requests below them.
 */
export function frontNames(stream: GatewayStream, { machine }: StreamWorld): readonly NameTarget[] {
  return namesOf(stream, machine, Token.word(`unix:${machine.paths.tlsSocket}`));
}

/**
 * Returns the names of a Gateway's port, and the targets of their connections. `requests` is the
 * target of requests.
 */
export function namesOf(stream: GatewayStream, machine: Machine, requests: Token | undefined): readonly NameTarget[] {
  const named = (name: string, to: Token): NameTarget => ({ name, host: Token.mapKey(name), to });
  return [
    ...stream.hosts
      .filter(({ hostname }) => hostname !== "")
      .map((host) => named(host.hostname, targetOf(stream, host, machine))),
    ...(requests === undefined ? [] : (stream.requests ?? []).map((name) => named(name, requests))),
  ];
}

/** Returns the target of all other names. Requests have them, if the port takes requests. */
export function otherwiseOf(stream: GatewayStream, machine: Machine): Token {
  const all = stream.hosts.find(({ hostname }) => hostname === "");
  if (all !== undefined) return targetOf(stream, all, machine);
  return isFront(stream) ? requestsOf(stream, machine) : refusing(machine);
}

export function requestsOf(stream: GatewayStream, machine: Machine): Token {
  return Token.word(`unix:${requestSocket(stream, machine)}`);
}

/**
 * Whether connections of a host go through a socket of its own, because TLS ends there or the PROXY
 * header of a front has to be removed.
 */
export function hasEnd(stream: GatewayStream, { certificates }: StreamHost): boolean {
  return certificates !== undefined || isFront(stream);
}

export function endSocket(stream: GatewayStream, host: StreamHost, { paths }: Machine): Token {
  return Token.word(`unix:${paths.sockets}/t-${shortHash(`${stream.id} ${host.hostname}`)}.sock`);
}

/** Returns the socket that closes every connection. */
export const refusing = ({ paths }: Machine): Token => Token.word(`unix:${paths.sockets}/refused.sock`);

/** Returns the target of a host's connections; undefined if all are refused. */
export function poolOf(stream: GatewayStream, host: StreamHost): Token | undefined {
  if (!host.backends.some(isOpen)) return undefined;
  const name = hostPool(stream, host);
  const [only, ...more] = groupsOf(stream, host);
  const isShared = more.length > 0 || !host.backends.every(isOpen);
  return isShared ? Token.variable(shareOf(name)) : Token.name(only!.pool);
}

/**
 * Returns the socket of a server that uses TLS towards its backends, if other backends of the
 * host need another way.
 */
export function groupSocket({ pool }: PoolGroup, { paths }: Machine): Token {
  return Token.word(`unix:${paths.sockets}/g-${shortHash(pool)}.sock`);
}
