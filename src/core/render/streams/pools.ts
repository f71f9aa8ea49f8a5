/**
 * The pools of streams: the endpoints that get the connections of one port, or of one name. If
 * nginx can look endpoints up again (`upstreamResolve`), they are data, and the text has only the
 * names of the pools. Otherwise they are text.
 */

import type { BackendTls } from "../../model/backend-tls.ts";
import type { Endpoint, StreamServer } from "../../model/configuration.ts";
import { type RecordKey, type StreamEndpoint, streamKey } from "../../model/records.ts";
import type { GatewayStream, StreamBackend, StreamHost } from "../../model/streams.ts";
import type { Machine } from "../../tokens/machine.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { type WeightedEndpoint, weightedServers } from "./weights.ts";

/**
 * No connection to this address is possible. A pool without endpoints has it, because nginx would
 * log an error each second for an empty pool.
 */
const nowhere: Endpoint = { address: "127.0.0.1", port: 0 };

/** The largest weight, because weights in DNS have 16 bits. */
const heaviestInDns = 65_535;

export function hasEndpointsAsData({ mode, capabilities }: Pick<Machine, "mode" | "capabilities">): boolean {
  return mode === "dynamic" && capabilities.upstreamResolve;
}

/**
 * Returns the name of a service, in the sense of DNS, that nginx queries for the endpoints of its
 * pools. Each run folder has its own, so a second controller on this machine does not get the
 * endpoints of the first one.
 */
export const streamService = ({ nameKey }: Pick<Machine, "nameKey">): string => `sluice-${shortHash(nameKey)}`;

type PortServer = Extract<StreamServer, { readonly kind: "tcp" | "udp" }>;

export const portPool = ({ kind, port }: Pick<PortServer, "kind" | "port">): string => `${kind}_${port}`;
export const passthroughPool = (host: string): string => `passthrough_${shortHash(host)}`;
export const hostPool = ({ id }: Pick<GatewayStream, "id">, { hostname }: Pick<StreamHost, "hostname">): string =>
  `gateway_${shortHash(`${id} ${hostname}`)}`;

/** Returns the variable that names the pool for a share of the connections only. */
export const shareOf = (pool: string): string => `${pool}_share`;

/**
 * Backends of a host with the same way towards them: without TLS, or over TLS with the same policy.
 */
export interface PoolGroup {
  readonly pool: string;
  readonly tls: BackendTls | undefined;
  readonly backends: readonly StreamBackend[];
}

/**
 * Returns the groups of a host; none if it has no backend. Backends without endpoints are left
 * out, unless no backend has any.
 */
export function groupsOf(stream: GatewayStream, host: StreamHost): readonly PoolGroup[] {
  const open = host.backends.filter(isOpen);
  const some = open.length > 0 ? open : host.backends.slice(0, 1);
  return [...Map.groupBy(some, ({ tls }) => tls?.id)].map(([id, backends]) => {
    const name = hostPool(stream, host);
    return { pool: id === undefined ? name : `${name}_${shortHash(id)}`, tls: backends[0]!.tls, backends };
  });
}

export interface Pool {
  readonly name: string;
  readonly endpoints: readonly WeightedEndpoint[];
}

/**
 * Returns the pools of all names that have a backend, with or without endpoints. `heaviest` is the
 * largest weight.
 */
export function poolsOf(streams: readonly StreamServer[], heaviest?: number): readonly Pool[] {
  return streams.flatMap((stream) => {
    if (stream.kind === "passthrough") return [{ name: passthroughPool(stream.host), endpoints: equal(stream) }];
    if (stream.kind !== "gateway") return [{ name: portPool(stream), endpoints: equal(stream) }];
    return stream.hosts.flatMap((host) =>
      groupsOf(stream, host).map(({ pool, backends }) => {
        return { name: pool, endpoints: weightedServers(backends.filter(isOpen), heaviest) };
      }),
    );
  });
}

/** Returns the records of the pools, by their keys in shared memory. */
export function streamRecords(streams: readonly StreamServer[]): ReadonlyMap<RecordKey, string> {
  return new Map([...poolRecords(streams)].map(([pool, record]) => [streamKey(pool), record]));
}

/** Returns the records of the pools, by the name of the pool. */
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
 * Returns the part of the streams that is text if endpoints are data. Configurations that differ
 * only in endpoints and weights give the same text. One exception is text: the share of backends
 * without endpoints, which is refused if other backends have some.
 */
export function withoutEndpoints(streams: readonly StreamServer[]): readonly StreamServer[] {
  let text = texts.get(streams);
  if (text === undefined) {
    text = streams.map(textOf);
    texts.set(streams, text);
  }
  return text;
}

/** A cache of the results: each turn needs one, and few turns change it. */
const texts = new WeakMap<readonly StreamServer[], readonly StreamServer[]>();

function textOf(stream: StreamServer): StreamServer {
  if (stream.kind !== "gateway") {
    const { owner: _, ...rest } = stream;
    return { ...rest, service: "", endpoints: [nowhere] };
  }
  const hosts = stream.hosts.map(({ route: _, listener: __, ...host }) => {
    return { ...host, backends: merged(host.backends) };
  });
  return { ...stream, hosts };
}

function merged(backends: readonly StreamBackend[]): readonly StreamBackend[] {
  if (backends.length === 0) return [];
  const shut = backends.filter((one) => !isOpen(one));
  const open = shut.length === backends.length ? backends.slice(0, 1) : backends.filter(isOpen);
  const groups = [...Map.groupBy(open, ({ tls }) => tls?.id).values()].map((some) => {
    const { tls } = some[0]!;
    return { weight: weightOf(some), service: "", endpoints: [nowhere], ...(tls === undefined ? {} : { tls }) };
  });
  if (shut.length === 0 || shut.length === backends.length) {
    return groups.length === 1 ? groups.map((one) => ({ ...one, weight: 1 })) : groups;
  }
  return [...groups, { weight: weightOf(shut), service: "", endpoints: [] }];
}

export const weightOf = (backends: readonly StreamBackend[]): number =>
  backends.reduce((sum, { weight }) => sum + weight, 0);
