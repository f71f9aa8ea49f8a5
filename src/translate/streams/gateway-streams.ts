/**
 * The streams of Gateways: for each StreamPort, where its names go. A client's name belongs to the
 * listener with the most specific hostname that takes it, and there to the route with the most
 * specific one. Where two routes claim the same, the older one has it.
 */
import { guarded } from "../../guarded.ts";
import { partsOf, serverKey } from "../../model/listeners.ts";
import type { GatewayStream, StreamBackend, StreamHost, StreamListener, StreamPort } from "../../model/streams.ts";
import type { Claim, ClaimedBackend } from "../claim.ts";
import { covers, intersection } from "../gateway/hostnames.ts";
import { type StreamWorld, servicePortNumbered } from "./servers.ts";

/** `claims` are oldest first. */
export function gatewayStreams(
  ports: readonly StreamPort[],
  claims: readonly Claim[],
  world: StreamWorld,
): readonly GatewayStream[] {
  const claimed = claims.flatMap((claim) => [...claim.hosts.keys()].map((key) => ({ ...partsOf(key), claim })));
  const byListener = Map.groupBy(claimed, ({ listener }) => listener);
  return ports.map(({ listeners, ...port }) => {
    const transport = port.protocol === "udp" ? "UDP" : "TCP";
    const backendsOf = ({ name, claim }: Claimed, { id, certificates }: StreamListener) => {
      const endsTls = certificates !== undefined;
      return (claim.hosts.get(serverKey({ listener: id, name }))?.[0]?.backends ?? []).flatMap((backend) =>
        streamBackend(backend, endsTls && backend.wantsTls === true, transport, world),
      );
    };
    const hosts = listeners.flatMap((listener) => {
      return hostsOf(listener, listeners, byListener.get(listener.id) ?? []).map(({ hostname, by }): StreamHost => {
        const { certificates } = listener;
        return { hostname, certificates, backends: by === undefined ? [] : backendsOf(by, listener) };
      });
    });
    return { kind: "gateway", ...port, hosts: hosts.sort((a, b) => (a.hostname < b.hostname ? -1 : 1)) };
  });
}

interface Claimed {
  /** A hostname of the route's own; `_` where it names none. */
  readonly name: string;
  readonly claim: Claim;
}

/**
 * Each name of a listener once, with the route that has it. Its own hostname is there without a
 * route, too.
 */
function hostsOf(listener: StreamListener, all: readonly StreamListener[], claimed: readonly Claimed[]) {
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

/** Whether no other listener of the port takes the name with a more specific hostname. */
function isBest({ hostname: own }: StreamListener, name: string, all: readonly StreamListener[]): boolean {
  return !all.some(({ hostname }) => hostname !== own && covers(own, hostname) && covers(hostname, name));
}

/**
 * None where its weight is 0: it has no share. `isRefused` says that a policy wants TLS towards it,
 * while nginx has ended that of the client and would send plain bytes.
 */
function streamBackend(
  backend: ClaimedBackend,
  isRefused: boolean,
  transport: "TCP" | "UDP",
  world: StreamWorld,
): StreamBackend[] {
  const { weight, key, port, unusable } = backend;
  if (weight <= 0) return [];
  if (unusable !== undefined || isRefused) return [{ weight, endpoints: [] }];
  const declared = servicePortNumbered(world.service(key), port, transport);
  const answer = guarded(
    () => declared && world.endpoints(key, declared, transport),
    () => undefined,
  );
  return [{ weight, endpoints: answer?.kind === "endpoints" ? answer.endpoints : [] }];
}
