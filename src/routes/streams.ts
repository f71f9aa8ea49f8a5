/**
 * The routes of streams on Gateways, as the operator asks for them: each name of a port with its
 * Services, their endpoints, and the certificate with which TLS ends.
 */
import { type Configuration, catchAll } from "../model/configuration.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { GatewayStream, StreamBackend, StreamHost } from "../model/streams.ts";
import type { Problem } from "../problem.ts";
import { routesOf, type ServedRoute, unreadyCounts } from "./routes.ts";

/** The name of a stream takes the place of a host, and its port that of a path. */
export interface ServedStream extends Omit<ServedRoute, "type"> {
  readonly type: "TCP" | "UDP" | "TLS passed on" | "TLS ended";
}

export type AnyRoute = ServedRoute | ServedStream;

/** Routes of requests as `routesOf` gives them, then those of streams. */
export function allRoutesOf(
  served: Parameters<typeof routesOf>[0],
  snapshot: Snapshot,
  host?: string,
  lastGood: readonly Problem[] = [],
): readonly AnyRoute[] {
  return [...routesOf(served, snapshot, host, lastGood), ...streamRoutesOf(served, unreadyCounts(snapshot), host)];
}

type Served = Pick<Configuration<unknown, unknown>, "streams" | "certificates">;

/**
 * Those that have a route, by port and name. `host`: undefined for all; a host that a wildcard
 * takes finds the wildcard. `notReady` are those of `unreadyCounts`.
 */
function streamRoutesOf(
  { streams, certificates }: Served,
  notReady: ReadonlyMap<string, number>,
  host?: string,
): readonly ServedStream[] {
  return streams
    .filter((stream) => stream.kind === "gateway")
    .flatMap((stream) =>
      stream.hosts
        .filter((one) => host === undefined || takes(one, host.toLowerCase()))
        .flatMap((one) => rowOf(stream, one, certificates, notReady)),
    );
}

function rowOf(
  { id, protocol }: GatewayStream,
  { hostname, certificates: ids, backends, route }: StreamHost,
  certificates: Served["certificates"],
  notReady: ReadonlyMap<string, number>,
): ServedStream[] {
  if (route === undefined) return [];
  const pair = certificates.get(ids?.[0] ?? "");
  const services = [...new Set(backends.flatMap(({ service }) => (service === "" ? [] : [keyOf(service)])))];
  return [
    {
      host: hostname === "" ? "*" : hostname,
      path: `:${id.slice(id.lastIndexOf(":") + 1).replace(/\D.*$/, "")}`,
      type:
        protocol === "tls" ? (ids === undefined ? "TLS passed on" : "TLS ended") : protocol === "udp" ? "UDP" : "TCP",
      ingress: `${route.namespace}/${route.name}`,
      route: { kind: route.kind, listener: id.slice(0, id.lastIndexOf(":")), when: "" },
      service: targetOf(backends),
      endpoints: backends.flatMap(({ endpoints }) =>
        endpoints.map(({ address, port }) => `${address.includes(":") ? `[${address}]` : address}:${port}`),
      ),
      notReady: services.reduce((sum, key) => sum + (notReady.get(key) ?? 0), 0),
      canaries: [],
      ...(pair === undefined ? {} : { certificate: { secret: pair.id, expires: pair.notAfter.toISOString() } }),
      denied: false,
    },
  ];
}

function targetOf(backends: readonly StreamBackend[]): string {
  const named = backends.filter(({ service }) => service !== "");
  if (named.length === 1 && backends.length === 1) return named[0]!.service;
  return named.map(({ service, weight }) => `${service} (${weight})`).join(", ");
}

/** `shop/db` of `shop/db:5432`. */
const keyOf = (service: string): string => service.slice(0, service.lastIndexOf(":"));

function takes({ hostname }: StreamHost, host: string): boolean {
  if (hostname === "" || hostname === host || host === catchAll) return true;
  return hostname.startsWith("*.") && host.endsWith(hostname.slice(1));
}
