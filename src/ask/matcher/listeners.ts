/** Finds the ports of Gateways at which a request arrives, and its listener there. */
import { catchAll } from "../../core/model/configuration.ts";
import type { Listener, ListenerPort } from "../../core/model/listeners.ts";
import type { Served } from "./host.ts";
import type { Ports } from "./redirects.ts";
import type { AskedRequest } from "./request.ts";

interface Listened {
  /** The ports of Ingresses. */
  readonly ports: Ports;
}

const lists = new WeakMap<Served["listenerPorts"], readonly ListenerPort[]>();
const indices = new WeakMap<readonly Listener[], ReadonlyMap<string, Listener>>();

/** Returns the cached value, because one Configuration may get many requests. */
function cached<K extends object, V>(known: WeakMap<K, V>, of: K, make: () => V): V {
  const found = known.get(of) ?? make();
  known.set(of, found);
  return found;
}

/** Returns the listener with the most specific hostname that takes the host. */
export function listenerFor({ listeners }: Pick<ListenerPort, "listeners">, host: string): Listener | undefined {
  const by = cached(indices, listeners, () => new Map(listeners.map((listener) => [listener.hostname, listener])));
  return namesAbove(host)
    .map((name) => by.get(name === catchAll ? "" : name))
    .find((listener) => listener !== undefined);
}

/** Returns the host, the wildcards above it with the longest first, and the name for all hosts. */
export function namesAbove(host: string): readonly string[] {
  const names = [host];
  for (let dot = host.indexOf(".", 1); dot >= 0; dot = host.indexOf(".", dot + 1)) names.push(`*${host.slice(dot)}`);
  return [...names, catchAll];
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
    cached(lists, listenerPorts, () => [...listenerPorts.values()])
      .filter(isWanted)
      .map((port) => [scopeOf(port), port]),
  );
  return [...byScope.keys()].sort().map((scope) => byScope.get(scope)!);
}

/**
 * Returns the id without the address: a Gateway with several addresses has a ListenerPort for each.
 */
const scopeOf = ({ id }: ListenerPort): string => id.replace(/@.*$/, "");

/** Whether Ingresses use the port, too. */
export function isShared({ address, listenPort }: ListenerPort, { ports }: Listened): boolean {
  return address === undefined && (listenPort === ports.http || listenPort === ports.https);
}

/**
 * Whether the request comes to ports that only Gateways use. A name without a listener gets 404
 * there.
 */
export function isApart(served: Served, asked: AskedRequest, listened: Listened): boolean {
  const wanted = asked.port ?? 80;
  const { http, https } = listened.ports;
  return ![80, 443, http, https].includes(wanted) && portsFor(served, asked, listened).length > 0;
}
