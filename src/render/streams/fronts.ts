/**
 * Ports that nginx's stream module has although requests come in there too: it reads the name that
 * a client sends and passes connections for requests on to a socket of the http part, with a PROXY
 * header that says whose they are. All of this is decided here.
 */
import type { Machine } from "../../directives/machine.ts";
import { shortHash } from "../../directives/short-hash.ts";
import type { StreamServer } from "../../model/configuration.ts";
import type { ListenerPort } from "../../model/listeners.ts";
import type { GatewayStream } from "../../model/streams.ts";

/** Where nginx listens, and whether clients speak TLS there. */
type ListenedOn = Pick<ListenerPort, "address" | "listenPort" | "tls">;

export interface Fronts {
  /** Whether there are any. */
  readonly any: boolean;
  /** Whether the usual https port is one. */
  readonly https: boolean;
  /** The stream of a Gateway that has the usual https port. */
  readonly onHttps: GatewayStream | undefined;
  /** The path of the socket behind a port; undefined where requests come in by the port itself. */
  socketOf(port: ListenedOn): string | undefined;
  /**
   * Whether another socket has this usual port on one address. The kernel allows that
   * where all of them say `reuseport`, and prefers the one with the address.
   */
  isDivided(port: number): boolean;
}

/** Whether requests come in behind this stream. */
export function isFront({ requests, hosts }: GatewayStream): boolean {
  return requests !== undefined && hosts.length > 0;
}

/** `listeners` are those of requests. */
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

/** The socket of requests that come in on such a port, other than the usual https port. */
export function requestSocket(port: Pick<ListenedOn, "address" | "listenPort">, { paths }: Machine): string {
  return `${paths.sockets}/r-${shortHash(placeOf(port))}.sock`;
}

function placeOf({ address = "", listenPort }: Pick<ListenedOn, "address" | "listenPort">): string {
  return `${address} ${listenPort}`;
}
