/**
 * Makes the streams of Gateways: the backends of each name on a StreamPort. A client's name belongs
 * to the listener with the most specific hostname that covers it, and there to the route with the
 * most specific one. Where two routes have the same name, the older one gets it.
 */
import { guarded } from "../../guarded.ts";
import { partsOf, serverKey } from "../../model/listeners.ts";
import type {
  GatewayStream,
  RequestsBeside,
  StreamBackend,
  StreamHost,
  StreamListener,
  StreamPort,
} from "../../model/streams.ts";
import type { Claim, ClaimedBackend } from "../claim.ts";
import { covers, intersection } from "../gateway/hostnames.ts";
import type { IngressNames } from "./contested-names.ts";
import { type StreamWorld, servicePortNumbered } from "./servers.ts";

/**
 * Makes the streams. `claims` are sorted, oldest first. `ingresses` decides about names on the port
 * of Ingresses.
 */
export function gatewayStreams(
  ports: readonly StreamPort[],
  claims: readonly Claim[],
  world: StreamWorld,
  ingresses: () => IngressNames,
): readonly GatewayStream[] {
  const claimed = claims.flatMap((claim) => [...claim.hosts.keys()].map((key) => ({ ...partsOf(key), claim })));
  const byListener = Map.groupBy(claimed, ({ listener }) => listener);
  return ports.map(({ listeners, beside, ...port }) => {
    const transport = port.protocol === "udp" ? "UDP" : "TCP";
    const backendsOf = ({ name, claim }: Claimed, { id, certificates }: StreamListener) => {
      const endsTls = certificates !== undefined;
      return (claim.hosts.get(serverKey({ listener: id, name }))?.[0]?.backends ?? []).flatMap((backend) =>
        streamBackend(backend, endsTls, transport, world),
      );
    };
    const hostnames = [...listeners.map(({ hostname }) => hostname), ...(beside?.hostnames ?? [])];
    const kept = (hostname: string, by: Claimed | undefined): boolean =>
      beside?.ingresses === true && (hostname === "" || ingresses().keeps(hostname, by?.claim));
    const hosts = listeners.flatMap((listener) => {
      return hostsOf(listener, hostnames, byListener.get(listener.id) ?? [])
        .filter(({ hostname, by }) => !kept(hostname, by))
        .map(({ hostname, by }): StreamHost => {
          const { certificates, id } = listener;
          if (by === undefined) return { hostname, certificates, backends: [], listener: id };
          const backends = backendsOf(by, listener);
          return { hostname, certificates, backends, route: by.claim.owner, listener: id };
        });
    });
    hosts.sort((a, b) => (a.hostname < b.hostname ? -1 : 1));
    const requests = beside === undefined ? {} : { requests: requestsOf(beside, hosts, ingresses) };
    return { kind: "gateway", ...port, hosts, ...requests };
  });
}

/** Returns the hostnames of requests that a host of the streams covers as well. */
function requestsOf(
  { hostnames, ingresses: isShared }: RequestsBeside,
  hosts: readonly StreamHost[],
  ingresses: () => IngressNames,
): readonly string[] {
  const taken = hosts.map(({ hostname }) => hostname);
  const listened = hostnames.filter((name) => name !== "" && taken.some((hostname) => covers(hostname, name)));
  return [...new Set([...listened, ...(isShared ? ingresses().under(taken) : [])])].sort();
}

interface Claimed {
  /** A hostname of the route's own; `_` where it names none. */
  readonly name: string;
  readonly claim: Claim;
}

/**
 * Returns each name of a listener once, with the route that has it. The listener's own hostname is
 * included even without a route.
 */
function hostsOf(listener: StreamListener, all: readonly string[], claimed: readonly Claimed[]) {
  const hosts = new Map<string, Claimed | undefined>();
  const longestFirst = claimed.toSorted((one, other) => other.name.length - one.name.length);
  for (const one of longestFirst) {
    const hostname = intersection(listener.hostname, one.name === "_" ? "" : one.name);
    if (hostname === undefined || hosts.has(hostname) || !isBest(listener, hostname, all)) continue;
    hosts.set(hostname, one);
  }
  if (!hosts.has(listener.hostname)) hosts.set(listener.hostname, undefined);
  return [...hosts].map(([hostname, by]) => ({ hostname, by }));
}

/** Whether no other listener of the port covers the name with a more specific hostname. */
function isBest({ hostname: own }: StreamListener, name: string, all: readonly string[]): boolean {
  return !all.some((hostname) => hostname !== own && covers(own, hostname) && covers(hostname, name));
}

/**
 * Returns the backend; none where its weight is 0, because it has no share. Where nginx ends the
 * TLS of clients, a policy for TLS towards the backend is followed. Where nginx cannot follow the
 * policy, nothing is sent, because it would be sent without TLS.
 */
function streamBackend(
  backend: ClaimedBackend,
  endsTls: boolean,
  transport: "TCP" | "UDP",
  world: StreamWorld,
): StreamBackend[] {
  const { weight, key, port, unusable, wantsTls, tls } = backend;
  if (weight <= 0) return [];
  if (unusable !== undefined) return [{ weight, service: "", endpoints: [] }];
  const named = { weight, service: `${key}:${port}` };
  if (endsTls && wantsTls) return [{ ...named, endpoints: [] }];
  const declared = servicePortNumbered(world.service(key), port, transport);
  const answer = guarded(
    () => declared && world.endpoints(key, declared, transport),
    () => undefined,
  );
  const endpoints = answer?.kind === "endpoints" ? answer.endpoints : [];
  return [{ ...named, endpoints, ...(endsTls && tls !== undefined ? { tls } : {}) }];
}
