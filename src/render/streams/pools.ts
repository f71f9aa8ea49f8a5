/**
 * The pools of streams: to which endpoints the connections of one port, or of one name, go. An
 * nginx that can ask for them anew (`upstreamResolve`) has them as data, and its text names each
 * pool only. Otherwise endpoints are text.
 */
import type { Machine } from "../../directives/machine.ts";
import { shortHash } from "../../directives/short-hash.ts";
import type { Endpoint, StreamServer } from "../../model/configuration.ts";
import { type RecordKey, type StreamEndpoint, streamKey } from "../../model/records.ts";
import type { GatewayStream, StreamBackend, StreamHost } from "../../model/streams.ts";
import { type WeightedEndpoint, weightedServers } from "./weights.ts";

/**
 * Nothing can be connected to this address. It stands in a pool without endpoints, which nginx
 * would complain about each second.
 */
const nowhere: Endpoint = { address: "127.0.0.1", port: 0 };

/** Weights in DNS have 16 bits. */
const heaviestInDns = 65_535;

export function hasEndpointsAsData({ mode, capabilities }: Pick<Machine, "mode" | "capabilities">): boolean {
  return mode === "dynamic" && capabilities.upstreamResolve;
}

/**
 * The name of a service, in the sense of DNS, under which nginx asks for the endpoints of its
 * pools. Each run folder has its own, so a second controller on this machine does not get the
 * endpoints of the first one.
 */
export const streamService = ({ nameKey }: Pick<Machine, "nameKey">): string => `sluice-${shortHash(nameKey)}`;

type PortServer = Extract<StreamServer, { readonly kind: "tcp" | "udp" }>;

export const portPool = ({ kind, port }: Pick<PortServer, "kind" | "port">): string => `${kind}_${port}`;
export const passthroughPool = (host: string): string => `passthrough_${shortHash(host)}`;
export const hostPool = ({ id }: Pick<GatewayStream, "id">, { hostname }: Pick<StreamHost, "hostname">): string =>
  `gateway_${shortHash(`${id} ${hostname}`)}`;

/** The variable that names the pool for a share of the connections only. */
export const shareOf = (pool: string): string => `${pool}_share`;

export interface Pool {
  readonly name: string;
  readonly endpoints: readonly WeightedEndpoint[];
}

/**
 * The pools of all names that have a backend, whether or not that has endpoints. `heaviest` is the
 * largest weight.
 */
export function poolsOf(streams: readonly StreamServer[], heaviest?: number): readonly Pool[] {
  return streams.flatMap((stream) => {
    if (stream.kind === "passthrough") return [{ name: passthroughPool(stream.host), endpoints: equal(stream) }];
    if (stream.kind !== "gateway") return [{ name: portPool(stream), endpoints: equal(stream) }];
    return stream.hosts
      .filter(({ backends }) => backends.length > 0)
      .map((host) => {
        return { name: hostPool(stream, host), endpoints: weightedServers(host.backends.filter(isOpen), heaviest) };
      });
  });
}

/** The pools as records. */
export function streamRecords(streams: readonly StreamServer[]): ReadonlyMap<RecordKey, string> {
  return new Map([...poolRecords(streams)].map(([pool, record]) => [streamKey(pool), record]));
}

/** The same by name. */
export function poolRecords(streams: readonly StreamServer[]): ReadonlyMap<string, string> {
  return new Map(
    poolsOf(streams, heaviestInDns).map(({ name, endpoints }) => {
      const all = endpoints.length > 0 ? endpoints : [{ endpoint: nowhere, weight: 1 }];
      const record = all.map(({ endpoint: { address, port }, weight }): StreamEndpoint => [address, port, weight]);
      return [name, JSON.stringify(record)];
    }),
  );
}

const equal = ({ endpoints }: { readonly endpoints: readonly Endpoint[] }): readonly WeightedEndpoint[] =>
  endpoints.map((endpoint) => ({ endpoint, weight: 1 }));

export const isOpen = ({ endpoints }: StreamBackend): boolean => endpoints.length > 0;

/**
 * The streams as far as they are text where endpoints are data: Configurations that differ in
 * endpoints and weights alone give the same. The share of backends without endpoints is refused,
 * which is text, unless there are no others.
 */
export function withoutEndpoints(streams: readonly StreamServer[]): readonly StreamServer[] {
  let text = texts.get(streams);
  if (text === undefined) {
    text = streams.map(textOf);
    texts.set(streams, text);
  }
  return text;
}

/** Each turn asks for them, and few turns have others. */
const texts = new WeakMap<readonly StreamServer[], readonly StreamServer[]>();

function textOf(stream: StreamServer): StreamServer {
  if (stream.kind !== "gateway") return { ...stream, endpoints: [nowhere] };
  return { ...stream, hosts: stream.hosts.map((host) => ({ ...host, backends: merged(host.backends) })) };
}

function merged(backends: readonly StreamBackend[]): readonly StreamBackend[] {
  if (backends.length === 0) return [];
  const shut = backends.filter((one) => !isOpen(one));
  if (shut.length === 0 || shut.length === backends.length) return [{ weight: 1, endpoints: [nowhere] }];
  return [
    { weight: weightOf(backends.filter(isOpen)), endpoints: [nowhere] },
    { weight: weightOf(shut), endpoints: [] },
  ];
}

export const weightOf = (backends: readonly StreamBackend[]): number =>
  backends.reduce((sum, { weight }) => sum + weight, 0);
