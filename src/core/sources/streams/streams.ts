/**
 * Keeps the servers of the stream module. They are made again together when something on which they
 * may depend has changed. Hosts whose TLS passes through may change with any Server, so with that
 * flag they are made in each turn.
 */

import { guarded } from "../../../base/guarded.ts";
import type { Server, StreamServer } from "../../model/configuration.ts";
import type { ListenerPort } from "../../model/listeners.ts";
import { nameOf } from "../../model/objects.ts";
import type { Owner } from "../../model/owner.ts";
import { bugProblem, named, type Problem } from "../../model/problem.ts";
import type { StreamPort } from "../../model/streams.ts";
import { Table } from "../../model/table.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Claim } from "../../table/claim.ts";
import type { Contested } from "../../table/hosts/listener/contested.ts";
import type { TranslateOptions } from "../../table/options.ts";
import type { Problems } from "../../table/problems.ts";
import type { Inputs, Turn } from "../../table/turn.ts";
import type { ServiceEndpoints } from "../../table/upstreams/service-endpoints.ts";
import { IngressNames } from "./contested-names.ts";
import { gatewayStreams } from "./gateway-streams.ts";
import { passthroughServers, portServers, type StreamWorld } from "./servers.ts";

/** The inputs for the streams of Gateways. Each is the same object while it does not change. */
export interface OfGateways {
  readonly ports: readonly StreamPort[];
  /** The ports on which Gateways take requests. */
  readonly requests: Table<ListenerPort>;
  /** The Claims, oldest first. */
  readonly claims: readonly Claim[];
}

/** The inputs about hosts of Ingresses, with which names are shared. */
export interface OfHosts {
  /** Returns the Claims of a host, oldest first. */
  readonly claimsOf: (host: string) => readonly Claim[];
  readonly contested: Contested;
}

export class Streams {
  readonly #options: TranslateOptions;
  readonly #endpoints: ServiceEndpoints;
  readonly #problems: Problems;
  /** The ConfigMaps of ports, each with its protocol. */
  readonly #maps: readonly (readonly ["tcp" | "udp", string])[];
  readonly #claimsOf: (host: string) => readonly Claim[];
  readonly #contested: Contested;
  #servers: readonly StreamServer[] = [];
  /** All hosts, as of the last turn. */
  #hosts = Table.empty<Server<FeatureValues>>();
  #ofGateways: OfGateways = { ports: [], requests: Table.empty(), claims: [] };

  constructor(
    options: TranslateOptions,
    endpoints: ServiceEndpoints,
    problems: Problems,
    { claimsOf, contested }: OfHosts,
  ) {
    this.#claimsOf = claimsOf;
    this.#contested = contested;
    this.#options = options;
    this.#endpoints = endpoints;
    this.#problems = problems;
    const { tcpServicesConfigMap, udpServicesConfigMap } = options;
    this.#maps = (
      [
        ["tcp", tcpServicesConfigMap],
        ["udp", udpServicesConfigMap],
      ] as const
    ).flatMap(([kind, key]) => (key === undefined ? [] : [[kind, key] as const]));
  }

  /** The servers as of the last `renew`. It is the same array while nothing changes. */
  get servers(): readonly StreamServer[] {
    return this.#servers;
  }

  renew({ before, now }: Turn, servers: Table<Server<FeatureValues>>, ofGateways: OfGateways): void {
    const { enableSslPassthrough } = this.#options;
    const isOtherHost = ofGateways.ports.some(({ beside }) => beside?.ingresses) && this.#hosts !== servers;
    this.#hosts = servers;
    const last = this.#ofGateways;
    this.#ofGateways = ofGateways;
    const isOther =
      last.ports !== ofGateways.ports ||
      last.claims !== ofGateways.claims ||
      (this.#maps.length > 0 && last.requests !== ofGateways.requests);
    if (!enableSslPassthrough && !isOther && !isOtherHost && !this.#mayDiffer(before, now)) return;
    const world = this.#world(now);
    const streams: StreamServer[] = this.#maps.flatMap(([kind, key]) => this.#portServers(kind, key, now, world));
    let names: IngressNames | undefined;
    const ofIngresses = () => {
      names ??= new IngressNames(servers, (host) => this.#claimsOf(host));
      return names;
    };
    const ofRoutes = gatewayStreams(ofGateways.ports, ofGateways.claims, world, ofIngresses);
    this.#reportContested([...(names?.problems ?? []), ...ofRoutes.problems]);
    if (enableSslPassthrough) streams.push(...passthroughServers(servers, world, names?.lost));
    streams.push(...ofRoutes.streams);
    if (JSON.stringify(streams) !== JSON.stringify(this.#servers)) this.#servers = streams;
  }

  /** Stores the Problems for logs and Events, and for the statuses of routes. */
  #reportContested(problems: readonly Problem[]): void {
    this.#problems.replace("names of streams", problems);
    this.#contested.note("names of streams", problems);
  }

  #mayDiffer(before: Inputs, now: Inputs): boolean {
    if (this.#maps.length === 0 && this.#ofGateways.ports.length === 0) return false;
    if (before.quarantine.ports !== now.quarantine.ports) return true;
    if (
      (["services", "endpointSlices", "addresses"] as const).some(
        (kind) => before.snapshot[kind] !== now.snapshot[kind],
      )
    )
      return true;
    return this.#maps.some(([, key]) => before.snapshot.configMaps.get(key) !== now.snapshot.configMaps.get(key));
  }

  #portServers(kind: "tcp" | "udp", key: string, { snapshot }: Inputs, world: StreamWorld): readonly StreamServer[] {
    const object = { kind: "ConfigMap", namespace: "default", ...nameOf(key) };
    const { servers, problems } = guarded(
      () => portServers(kind, snapshot.configMaps.get(key)?.data ?? {}, object, world),
      (bug) => ({ servers: [], problems: [bugProblem(object, bug)] }),
    );
    this.#problems.replace(`${kind} services`, problems);
    return servers;
  }

  #world({ snapshot, quarantine }: Inputs): StreamWorld {
    return {
      service: (key) => snapshot.services.get(key),
      endpoints: (key, declared, protocol) =>
        this.#endpoints.of(key, { port: String(declared.port), declared, serviceUpstream: false, protocol }),
      taken: (kind, port) =>
        this.#options.reservedPorts.get(port) ?? ownersOn(this.#ofGateways, kind, port).map(named)[0],
      elsewhere: (kind, port) => ownersOn(this.#ofGateways, kind, port, "own").map(named)[0],
      refusal: (port, text) => {
        const refused = quarantine.ports.get(port);
        return refused?.version === text ? refused : undefined;
      },
    };
  }
}

/** Returns the owners of a Gateway's port: on all addresses of this machine, or on its own. */
function ownersOn(
  { ports, requests }: OfGateways,
  kind: "tcp" | "udp",
  port: number,
  at: "all" | "own" = "all",
): readonly Owner[] {
  const isHere = ({ address, listenPort }: Pick<StreamPort, "address" | "listenPort">) =>
    (address === undefined) === (at === "all") && listenPort === port;
  const stream = ports.find((one) => isHere(one) && (one.protocol === "udp") === (kind === "udp"));
  if (stream !== undefined || kind === "udp") return stream?.owners ?? [];
  for (const one of requests.values()) if (isHere(one)) return one.owners;
  return [];
}
