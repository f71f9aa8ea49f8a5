/** The ports of Gateways at which a request arrives. */
import { catchAll } from "../../../core/model/configuration.ts";
import { type ListenerPort, serverKey } from "../../../core/model/listeners.ts";
import type { Served } from "../host.ts";
import type { Ports } from "../redirects.ts";
import type { AskedRequest, ReadRequest } from "../request.ts";
import { listenerFor, namesAbove } from "./match.ts";

interface Listened {
  /** The ports of Ingresses. */
  readonly ports: Ports;
}

/**
 * Returns the listener ports with the port of the URL. Under `serve`, 80 and 443 stand for the
 * ports of Ingresses.
 */
export function portsFor({ listenerPorts }: Served, asked: AskedRequest, { ports }: Listened): readonly ListenerPort[] {
  const usual = { http: 80, https: 443 }[asked.scheme];
  const wanted = asked.port ?? usual;
  const own = ports[asked.scheme];
  const isWanted = ({ port, tls }: ListenerPort) =>
    tls === (asked.scheme === "https") && (port === wanted || (wanted === usual && port === own));
  const byScope = new Map(
    listOf(listenerPorts)
      .filter(isWanted)
      .map((port) => [scopeOf(port), port]),
  );
  return [...byScope.keys()].sort().map((scope) => byScope.get(scope)!);
}

const lists = new WeakMap<Served["listenerPorts"], readonly ListenerPort[]>();

/**
 * Returns the ports as a list, which is cached, because one Configuration may get many requests.
 */
function listOf(ports: Served["listenerPorts"]): readonly ListenerPort[] {
  const known = lists.get(ports) ?? [...ports.values()];
  lists.set(ports, known);
  return known;
}

/**
 * Returns the id without the address: a Gateway with several addresses has a ListenerPort for each.
 */
const scopeOf = ({ id }: ListenerPort): string => id.replace(/@.*$/, "");

/** Whether Ingresses use the port, too. */
export function isShared({ address, listenPort }: ListenerPort, { ports }: Listened): boolean {
  return address === undefined && (listenPort === ports.http || listenPort === ports.https);
}

/** Whether a route names the host, itself or by a wildcard, on a port that Ingresses use, too. */
export function isNamed(served: Served, asked: AskedRequest, { host }: ReadRequest, listened: Listened): boolean {
  const names = namesAbove(host).filter((name) => name !== catchAll);
  return portsFor(served, asked, listened).some((port) => {
    const listener = isShared(port, listened) ? listenerFor(port, host) : undefined;
    return names.some((name) => listener && served.servers.has(serverKey({ listener: listener.id, name })));
  });
}
