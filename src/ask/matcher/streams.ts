/**
 * Decides where a connection or a datagram goes: for each stream with the port it finds the name,
 * the route and the backends. If several Gateways have addresses of their own, DNS decides
 * between them.
 */
import { isIP } from "node:net";
import type { Certificate, Endpoint, StreamServer } from "../../core/model/configuration.ts";
import type { Owner } from "../../core/model/owner.ts";
import { type GatewayStream, gatewayAndPort, type StreamHost } from "../../core/model/streams.ts";
import type { Table } from "../../core/model/table.ts";
import type { Ports } from "./redirects.ts";

export interface AskedStream {
  /**
   * TLS is TCP as well, so these two find the same streams. `any` finds all streams with the port.
   */
  readonly protocol: "tcp" | "udp" | "tls" | "any";
  /**
   * An address or a name, in lower case and without brackets. A name is also the name in the
   * handshake.
   */
  readonly host: string;
  readonly port: number;
}

export interface StreamTarget {
  /** `namespace/name:port`; empty if that cannot be used. */
  readonly service: string;
  /** Its share of the connections, from 0 to 1. */
  readonly share: number;
  readonly endpoints: readonly Endpoint[];
  /**
   * The name that the backend's certificate must have. If it is absent, nginx sends the bytes as
   * they are.
   */
  readonly tls?: string;
}

export interface StreamDecision {
  readonly protocol: "tcp" | "udp" | "tls";
  /** The owner of the port. */
  readonly place:
    | {
        readonly kind: "gateway";
        /** `namespace/name`, or `*` if all share the ports of this machine. */
        readonly gateway: string;
        /** The objects that have the port. */
        readonly owners: readonly Owner[];
        readonly listener: string | undefined;
        readonly address: string | undefined;
        readonly listenPort: number;
      }
    | { readonly kind: "config-map" }
    | { readonly kind: "passthrough" };
  /** The name by which it was found; empty for all names. */
  readonly name: string;
  /** The route, Ingress or ConfigMap. */
  readonly owner: Owner | undefined;
  /**
   * The certificates, if nginx ends TLS; undefined if TLS passes through, or if there is
   * none.
   */
  readonly certificates: readonly string[] | undefined;
  readonly targets: readonly StreamTarget[];
  /**
   * The reason why all connections are refused. It is absent if at least some of them reach an
   * endpoint.
   */
  readonly refused?: string;
}

interface ServedStreams {
  readonly streams: readonly StreamServer[];
  readonly certificates: Table<Certificate>;
}

/** Returns an empty list if no stream takes the connection. */
export function decideStreams(
  { streams, certificates }: ServedStreams,
  asked: AskedStream,
  ports: Ports,
): readonly StreamDecision[] {
  const found = streams.flatMap((stream): readonly StreamDecision[] => {
    if (!hasProtocol(asked, stream)) return [];
    if (stream.kind === "gateway") return atGateway(stream, asked, ports, certificates);
    return stream.kind === "passthrough" ? passedOn(stream, asked, ports) : onPort(stream, asked);
  });
  // A wildcard of a route may have the port, too, but the name itself is more specific.
  const isExact = found.some(({ place }) => place.kind === "passthrough");
  return found.filter((one) => !isExact || one.place.kind === "passthrough" || !isAtIngresses(one, ports));
}

/** Whether the stream is on the https port of Ingresses. */
export function isAtIngresses({ place }: StreamDecision, { https }: Ports): boolean {
  if (place.kind === "gateway") return place.address === undefined && place.listenPort === https;
  return place.kind === "passthrough";
}

function hasProtocol({ protocol }: AskedStream, stream: StreamServer): boolean {
  const isUdp = (stream.kind === "gateway" ? stream.protocol : stream.kind) === "udp";
  return protocol === "any" || isUdp === (protocol === "udp");
}

/** Returns the ports of streams, as clients use them, sorted: `TCP port 5432`. */
export function streamPorts(streams: readonly StreamServer[]): readonly string[] {
  const found = streams.flatMap((stream): readonly (readonly [number, string])[] => {
    if (stream.kind === "passthrough") return [];
    if (stream.kind === "gateway") return [[gatewayAndPort(stream.id).port, stream.protocol === "udp" ? "UDP" : "TCP"]];
    return [[stream.port, stream.kind === "udp" ? "UDP" : "TCP"]];
  });
  const all = found.toSorted(([a], [b]) => a - b).map(([port, protocol]) => `${protocol} port ${port}`);
  return [...new Set(all)];
}

/** Returns the names of TLS on a port, whether or not they have a route, sorted. */
export function namesOnPort(streams: readonly StreamServer[], port: number, ports: Ports): readonly string[] {
  const names = streams.flatMap((stream): readonly string[] => {
    if (stream.kind === "passthrough") return isUsual(port, ports) ? [stream.host] : [];
    if (stream.kind !== "gateway" || stream.protocol !== "tls" || !isOn(stream, port, ports)) return [];
    return stream.hosts.flatMap(({ hostname }) => (hostname === "" ? [] : [hostname]));
  });
  return [...new Set(names)].sort();
}

/**
 * Returns the streams that close the connection, because none of their TLS listeners takes its
 * name. A port that also has requests is left out.
 */
export function closedStreams(
  streams: readonly StreamServer[],
  { host, port }: AskedStream,
  ports: Ports,
): readonly GatewayStream[] {
  return streams.filter((stream): stream is GatewayStream => {
    if (stream.kind !== "gateway" || stream.protocol !== "tls" || stream.requests !== undefined) return false;
    return isOn(stream, port, ports) && isFor(stream, host) && nameOn(stream, host) === undefined;
  });
}

function isUsual(port: number, { https }: Ports): boolean {
  return port === 443 || port === https;
}

/** Whether the stream is on the port. 443 also stands for the https port of Ingresses. */
function isOn(stream: GatewayStream, port: number, ports: Ports): boolean {
  if (gatewayAndPort(stream.id).port === port) return true;
  return stream.address === undefined && stream.listenPort === ports.https && isUsual(port, ports);
}

/** Whether the host may lead to the stream: a name may, and an address of its own. */
function isFor({ address }: GatewayStream, host: string): boolean {
  return isIP(host) === 0 || address === undefined || address === host;
}

/** Finds the host that the connection gets. Clients send no name if they have an address. */
function nameOn(stream: GatewayStream, host: string): StreamHost | undefined {
  return named(stream, isIP(host) === 0 ? host : "");
}

function atGateway(
  stream: GatewayStream,
  { host, port }: AskedStream,
  ports: Ports,
  certificates: Table<Certificate>,
): readonly StreamDecision[] {
  if (!isOn(stream, port, ports)) return [];
  if (!isFor(stream, host)) return [];
  const found = stream.protocol === "tls" ? nameOn(stream, host) : stream.hosts[0];
  if (found === undefined) return [];
  const { hostname, certificates: ids, route, listener } = found;
  const place = {
    kind: "gateway",
    ...{ gateway: gatewayAndPort(stream.id).gateway, owners: stream.owners, listener },
    ...{ address: stream.address, listenPort: stream.listenPort },
  } as const;
  const targets = targetsOf(found);
  const refused = whyRefused(found, targets, certificates);
  return [
    {
      ...{ protocol: stream.protocol, place, name: hostname, owner: route, certificates: ids, targets },
      ...(refused === undefined ? {} : { refused }),
    },
  ];
}

/**
 * Finds the name as nginx's map with `hostnames` does: the name itself, the longest wildcard, then
 * all names.
 */
function named({ hosts, requests = [] }: GatewayStream, name: string): StreamHost | undefined {
  if (requests.includes(name)) return undefined;
  const exact = hosts.find(({ hostname }) => hostname === name);
  const above = hosts
    .filter(({ hostname }) => hostname.startsWith("*.") && name.endsWith(hostname.slice(1)))
    .toSorted((a, b) => b.hostname.length - a.hostname.length)[0];
  const isOfRequests = requests.some(
    (one) => one.startsWith("*.") && name.endsWith(one.slice(1)) && one.length > (above?.hostname.length ?? 0),
  );
  if (exact === undefined && isOfRequests) return undefined;
  return exact ?? above ?? hosts.find(({ hostname }) => hostname === "");
}

function targetsOf({ backends }: StreamHost): readonly StreamTarget[] {
  const whole = backends.reduce((sum, { weight }) => sum + weight, 0);
  return backends.map(({ weight, service, endpoints, tls }) => {
    return { service, share: weight / whole, endpoints, ...(tls === undefined ? {} : { tls: tls.hostname }) };
  });
}

function whyRefused(
  { route, certificates: ids }: StreamHost,
  targets: readonly StreamTarget[],
  certificates: Table<Certificate>,
): string | undefined {
  if (route === undefined) return "the listener has no route for it";
  if (ids !== undefined && !ids.some((id) => certificates.has(id))) return "the listener has no certificate";
  if (targets.length === 0) return "the route has no backend with a weight";
  return targets.some(({ endpoints }) => endpoints.length > 0) ? undefined : "no endpoint is ready";
}

type OfIngress = Extract<StreamServer, { readonly kind: "passthrough" }>;

function passedOn(
  { host: name, service, owner, endpoints }: OfIngress,
  { host, port }: AskedStream,
  ports: Ports,
): readonly StreamDecision[] {
  if (!isUsual(port, ports) || host !== name) return [];
  const targets = [{ service, share: 1, endpoints }];
  return [{ protocol: "tls", place: { kind: "passthrough" }, name, owner, certificates: undefined, targets }];
}

type OfConfigMap = Extract<StreamServer, { readonly kind: "tcp" | "udp" }>;

function onPort(
  { kind, port: own, service, owner, endpoints }: OfConfigMap,
  { port }: AskedStream,
): readonly StreamDecision[] {
  if (port !== own) return [];
  const targets = [{ service, share: 1, endpoints }];
  return [{ protocol: kind, place: { kind: "config-map" }, name: "", owner, certificates: undefined, targets }];
}
