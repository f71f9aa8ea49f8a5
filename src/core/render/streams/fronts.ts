/**
 * Decides about fronts: ports of nginx's stream module on which requests arrive, too. The stream
 * module reads the name that a client sends. It passes connections of requests on to a socket of
 * the http part, with a PROXY header that has the client's address.
 */

import type { StreamServer } from "../../model/configuration.ts";
import type { ListenerPort } from "../../model/listeners.ts";
import type { GatewayStream } from "../../model/streams.ts";
import type { Machine } from "../../tokens/machine.ts";
import { shortHash } from "../../tokens/short-hash.ts";

/** The address and port on which nginx listens, and whether clients use TLS there. */
type ListenedOn = Pick<ListenerPort, "address" | "listenPort" | "tls">;

export interface Fronts {
  /** Whether there are any fronts. */
  readonly any: boolean;
  /** Whether the usual https port is a front. */
  readonly https: boolean;
  /** The stream of a Gateway that has the usual https port. */
  readonly onHttps: GatewayStream | undefined;
  /**
   * Returns the path of the socket behind a port; undefined if requests arrive at the port
   * itself.
   */
  socketOf(port: ListenedOn): string | undefined;
  /**
   * Whether another socket has this usual port on one address. The kernel allows that if all of
   * them have `reuseport`, and prefers the socket with the address.
   */
  isDivided(port: number): boolean;
}

/** Whether requests arrive through this stream. */
export function isFront({ requests, hosts }: GatewayStream): boolean {
  return requests !== undefined && hosts.length > 0;
}

/** Finds the fronts. `listeners` are those of requests. */
export function frontsOf(streams: readonly StreamServer[], listeners: readonly ListenedOn[], machine: Machine): Fronts {
  const { passthrough, ports, paths } = machine;
  const gateways = streams.filter((one) => one.kind === "gateway");
  const fronts = gateways.filter(isFront);
  const isOnHttps = ({ address, listenPort }: Pick<ListenedOn, "address" | "listenPort">) =>
    address === undefined && listenPort === ports.https;
  const onHttps = fronts.find(isOnHttps);
  const https = passthrough || onHttps !== undefined;
  const behind = new Set(fronts.map(placeOf));
  return {
    any: https || fronts.length > 0,
    https,
    onHttps,
    socketOf: (port) => {
      if (!port.tls) return undefined;
      if (isOnHttps(port)) return https ? paths.tlsSocket : undefined;
      return behind.has(placeOf(port)) ? requestSocket(port, machine) : undefined;
    },
    isDivided: (number) => {
      const others = https && number === ports.https ? [...gateways, ...listeners] : gateways;
      return others.some(({ address, listenPort }) => address !== undefined && listenPort === number);
    },
  };
}

/** Returns the socket of requests that arrive on such a port, other than the usual https port. */
export function requestSocket(port: Pick<ListenedOn, "address" | "listenPort">, { paths }: Machine): string {
  return `${paths.sockets}/r-${shortHash(placeOf(port))}.sock`;
}

function placeOf({ address = "", listenPort }: Pick<ListenedOn, "address" | "listenPort">): string {
  return `${address} ${listenPort}`;
}
