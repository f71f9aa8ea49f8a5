/**
 * The routes of streams for the operator: each port, or name on a port, with its Services, their
 * endpoints, and the certificate with which nginx ends TLS.
 */
import { type Configuration, catchAll } from "../../core/model/configuration.ts";
import { addressWithPort } from "../../core/model/endpoint.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { type GatewayStream, gatewayAndPort, type StreamBackend, type StreamHost } from "../../core/model/streams.ts";
import { routesOf, type ServedRoute, unreadyCounts } from "./routes.ts";

/** A stream's name takes the place of a host, and its port takes that of a path. */
export interface ServedStream extends Omit<ServedRoute, "type"> {
  readonly type: "TCP" | "UDP" | "TLS passed on" | "TLS ended";
}

export type AnyRoute = ServedRoute | ServedStream;

/** Returns the routes of requests, as `routesOf` does, and then those of streams. */
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
 * Returns TCP and UDP services, hosts of Ingresses whose TLS passes through, and then streams of
 * Gateways that have a route. `host` selects a host, or the wildcard that covers it; undefined
 * selects all. `notReady` are the counts of `unreadyCounts`.
 */
function streamRoutesOf(
  { streams, certificates }: Served,
  notReady: ReadonlyMap<string, number>,
  host?: string,
): readonly ServedStream[] {
  const wanted = host?.toLowerCase();
  return streams.flatMap((stream): readonly ServedStream[] => {
    if (stream.kind === "gateway") {
      return stream.hosts
        .filter(({ hostname }) => wanted === undefined || takes(hostname, wanted))
        .flatMap((one) => rowOf(stream, one, certificates, notReady));
    }
    const { service, owner, endpoints } = stream;
    const of = stream.kind === "passthrough" ? passedOn(stream.host) : onPort(stream);
    if (owner === undefined || (wanted !== undefined && !takes(of.host === "*" ? "" : of.host, wanted))) return [];
    const counted = { endpoints: endpoints.map(addressWithPort), notReady: notReady.get(keyOf(service)) ?? 0 };
    return [{ ...of, ingress: `${owner.namespace}/${owner.name}`, service, ...counted, canaries: [], denied: false }];
  });
}

/** Returns the fields of a host whose TLS passes through, which is on the usual https port. */
const passedOn = (host: string) => ({ host, path: ":443", type: "TLS passed on" }) as const;

function onPort({ kind, port }: { readonly kind: "tcp" | "udp"; readonly port: number }) {
  const route = { kind: "ConfigMap", listener: "", when: "" };
  return { host: "*", path: `:${port}`, type: kind === "tcp" ? "TCP" : "UDP", route } as const;
}

function rowOf(
  { id, protocol }: GatewayStream,
  { hostname, certificates: ids, backends, route, listener = gatewayAndPort(id).gateway }: StreamHost,
  certificates: Served["certificates"],
  notReady: ReadonlyMap<string, number>,
): ServedStream[] {
  if (route === undefined) return [];
  const pair = certificates.get(ids?.[0] ?? "");
  const services = [...new Set(backends.flatMap(({ service }) => (service === "" ? [] : [keyOf(service)])))];
  return [
    {
      host: hostname === "" ? "*" : hostname,
      path: `:${gatewayAndPort(id).port}`,
      type:
        protocol === "tls" ? (ids === undefined ? "TLS passed on" : "TLS ended") : protocol === "udp" ? "UDP" : "TCP",
      ingress: `${route.namespace}/${route.name}`,
      route: { kind: route.kind, listener, when: "" },
      service: targetOf(backends),
      endpoints: backends.flatMap(({ endpoints }) => endpoints.map(addressWithPort)),
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

/** Returns `shop/db` of `shop/db:5432`. */
const keyOf = (service: string): string => service.slice(0, service.lastIndexOf(":"));

function takes(hostname: string, host: string): boolean {
  if (hostname === "" || hostname === host || host === catchAll) return true;
  return hostname.startsWith("*.") && host.endsWith(hostname.slice(1));
}
