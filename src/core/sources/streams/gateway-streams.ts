/**
 * Makes the streams of Gateways: the backends of each name on a StreamPort. A client's name belongs
 * to the listener with the most specific hostname that covers it, and there to the route with the
 * most specific one. If two routes have the same name, the older one gets it.
 */
import { guarded } from "../../../base/guarded.ts";
import { partsOf, serverKey } from "../../model/listeners.ts";
import { named, type Problem } from "../../model/problem.ts";
import type {
  GatewayStream,
  RequestsBeside,
  StreamBackend,
  StreamHost,
  StreamListener,
  StreamPort,
  StreamProtocol,
} from "../../model/streams.ts";
import type { Claim, ClaimedBackend } from "../../table/claim.ts";
import { covers, intersection } from "../gateway/hostnames.ts";
import type { IngressNames } from "./contested-names.ts";
import { type StreamWorld, servicePortNumbered } from "./servers.ts";

export interface GatewayStreamsMade {
  readonly streams: readonly GatewayStream[];
  /** Problems about routes whose names, or whose listener, another route has. */
  readonly problems: readonly Problem[];
}

/**
 * Makes the streams. `claims` are sorted, oldest first. `ingresses` decides about names on the port
 * of Ingresses.
 */
export function gatewayStreams(
  ports: readonly StreamPort[],
  claims: readonly Claim[],
  world: StreamWorld,
  ingresses: () => IngressNames,
): GatewayStreamsMade {
  const problems: Problem[] = [];
  const claimed = claims.flatMap((claim) => [...claim.hosts.keys()].map((key) => ({ ...partsOf(key), claim })));
  const byListener = Map.groupBy(claimed, ({ listener }) => listener);
  const streams = ports.map(({ listeners, beside, ...port }): GatewayStream => {
    const transport = port.protocol === "udp" ? "UDP" : "TCP";
    const backendsOf = ({ name, claim }: Claimed, { id, certificates }: StreamListener) => {
      const endsTls = certificates !== undefined;
      const backends = claim.hosts.get(serverKey({ listener: id, name }))?.[0]?.backends ?? [];
      if (!endsTls && claim.owner.kind === "TCPRoute") problems.push(...policiesNotFollowed(claim, backends));
      return backends.flatMap((backend) => streamBackend(backend, endsTls, transport, world));
    };
    const hostnames = [...listeners.map(({ hostname }) => hostname), ...(beside?.hostnames ?? [])];
    const kept = (hostname: string, by: Claimed | undefined): boolean =>
      beside?.ingresses === true && (hostname === "" || ingresses().keeps(hostname, by?.claim));
    const hosts = listeners.flatMap((listener) => {
      return hostsOf(listener, hostnames, byListener.get(listener.id) ?? [])
        .filter(({ hostname, by }) => !kept(hostname, by))
        .map(({ hostname, by, losers }): StreamHost => {
          const { certificates, id } = listener;
          for (const loser of losers) problems.push(lostTo(by!, loser, { hostname, id, protocol: port.protocol }));
          if (by === undefined) return { hostname, certificates, backends: [], listener: id };
          const backends = backendsOf(by, listener);
          return { hostname, certificates, backends, route: by.claim.owner, listener: id };
        });
    });
    hosts.sort((a, b) => (a.hostname < b.hostname ? -1 : 1));
    const requests = beside === undefined ? {} : { requests: requestsOf(beside, hosts, ingresses) };
    return { kind: "gateway", ...port, hosts, ...requests };
  });
  return { streams, problems: distinct(problems) };
}

/** Returns Problems about policies for TLS to backends where nginx does not end clients' TLS. */
function policiesNotFollowed({ owner: object }: Claim, backends: readonly ClaimedBackend[]): readonly Problem[] {
  return backends.flatMap(({ part, key, tls }): Problem[] => {
    if (tls === undefined) return [];
    const why = `names Service ${key} with a BackendTLSPolicy, which is followed only where a listener ends TLS`;
    const done = "bytes are sent on as they come";
    return [{ object, kind: "value-unusable", field: `spec.rules[0].${part}`, why, done }];
  });
}

/** Several hostnames of one route may be the same host of a listener. */
const distinct = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((one) => [JSON.stringify(one), one])).values(),
];

/** Returns the Problem of a route that gets nothing, because another route has the name, too. */
function lostTo(
  winner: Claimed,
  { name, claim: { owner: object } }: Claimed,
  { hostname, id, protocol }: { readonly hostname: string; readonly id: string; readonly protocol: StreamProtocol },
): Problem {
  const other = named(winner.claim.owner);
  const whose = winner.name === name ? `the older ${other}` : `${other}, whose hostname ${winner.name} is longer,`;
  const what = protocol === "tls" ? `${hostname === "" ? "all hosts" : `host ${hostname}`} on ` : "";
  return {
    object,
    kind: "claim-lost",
    field: protocol === "tls" ? "spec.hostnames" : "spec.rules[0]",
    why: `${whose} has ${what}listener ${id}`,
    done: `this route gets no ${protocol === "udp" ? "datagrams" : "connections"} of it`,
  };
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
  /** A hostname of the route's own; `_` if it names none. */
  readonly name: string;
  readonly claim: Claim;
}

/**
 * Returns each name of a listener once, with the route that has it. The listener's own hostname is
 * included even without a route.
 */
function hostsOf(listener: StreamListener, all: readonly string[], claimed: readonly Claimed[]) {
  const hosts = new Map<string, { readonly by: Claimed | undefined; readonly losers: Claimed[] }>();
  const longestFirst = claimed.toSorted((one, other) => other.name.length - one.name.length);
  for (const one of longestFirst) {
    const hostname = intersection(listener.hostname, one.name === "_" ? "" : one.name);
    if (hostname === undefined || !isBest(listener, hostname, all)) continue;
    const taken = hosts.get(hostname);
    if (taken === undefined) hosts.set(hostname, { by: one, losers: [] });
    else if (taken.by?.claim !== one.claim) taken.losers.push(one);
  }
  if (!hosts.has(listener.hostname)) hosts.set(listener.hostname, { by: undefined, losers: [] });
  return [...hosts].map(([hostname, host]) => ({ hostname, ...host }));
}

/** Whether no other listener of the port covers the name with a more specific hostname. */
function isBest({ hostname: own }: StreamListener, name: string, all: readonly string[]): boolean {
  return !all.some((hostname) => hostname !== own && covers(own, hostname) && covers(hostname, name));
}

/**
 * Returns the backend; none if its weight is 0, because it has no share. If nginx ends the
 * TLS of clients, a policy for TLS towards the backend is followed. If nginx cannot follow the
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
