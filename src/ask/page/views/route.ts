/**
 * The view of one route: backends, endpoints with their state, canaries, its own settings,
 * Problems.
 */

import { conditionWords } from "../../../core/model/condition-words.ts";
import { catchAll, type Location, type Server, type Upstream } from "../../../core/model/configuration.ts";
import { addressWithPort } from "../../../core/model/endpoint.ts";
import { serverKey } from "../../../core/model/listeners.ts";
import { serviceOfUpstream } from "../../../core/model/location.ts";
import { type KubernetesObject, serviceOf } from "../../../core/model/objects.ts";
import { fullSentence, type Problem } from "../../../core/model/problem.ts";
import { type Snapshot, tableOf, type WatchedKind } from "../../../core/model/snapshot.ts";
import type { Table } from "../../../core/model/table.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import type { PeerFigures } from "../../../nginx/channel.ts";
import { balanceWords } from "../../routes/balance-words.ts";
import { routeOf, unreadyCounts } from "../../routes/routes.ts";
import type { BackendRow, EndpointRow, RouteDetail } from "../api/routes.ts";
import type { TrafficWindows } from "../live/traffic.ts";
import { withoutCredentials } from "../shown.ts";
import type { PageSource, Served } from "../source.ts";
import { givenSettings } from "./given.ts";
import { rowOf, trafficOf } from "./routes.ts";

/** The fields of a row that identify its route. */
export interface RouteName {
  readonly host: string;
  readonly path: string;
  /** `namespace/name`; empty if no object owns it. */
  readonly owner: string;
  readonly listener: string;
  readonly when: string;
}

const mostEndpoints = 500;

interface Found {
  readonly server: Server<FeatureValues>;
  readonly at: number;
  readonly location: Location<FeatureValues>;
}

/** Returns undefined if there is no such route, or no longer. */
export async function routeDetail(
  name: RouteName,
  source: PageSource,
  traffic: TrafficWindows | undefined,
): Promise<RouteDetail | undefined> {
  const served = source.configuration();
  const found = served && locationOf(name, served);
  if (found === undefined) return undefined;
  const { server, at, location } = found;
  const snapshot = source.snapshot();
  const route = routeOf(server, at, served!, unreadyCounts(snapshot));
  const { failures } = source;
  const row = rowOf(route, { server, at }, failures);
  const failed = (addresses: readonly string[]) =>
    failures.words({ host: row.countedHost, owner: row.owner.name, path: row.path }, addresses);
  const endpoints = endpointsOf(location, served!, snapshot);
  const shown = endpoints.slice(0, mostEndpoints);
  const peers = await source.peers(shown.map(({ address }) => address));
  return {
    ...row,
    traffic: trafficOf(row, traffic),
    certificate: route.certificate ?? null,
    backends: backendsOf(location, served!),
    canaryRows: route.canaries.map(({ service, when, endpoints: ready }) => ({ service, when, ready })),
    endpoints: shown.map((one) => ({
      ...withFigures(one, peers?.get(one.address), peers !== undefined),
      lastError: (failed([one.address]).errors[0] ?? "").replace(`${one.address}: `, ""),
    })),
    moreEndpoints: endpoints.length - shown.length,
    settings: givenSettings(ownerOf(location, snapshot), snapshot, source.names),
    problems: problemsOf(location, route.certificate?.secret, source),
    failed: failed([]).requests,
    notCounted: source.requests === undefined ? notCounted : "",
  };
}

export const notCounted = "requests are counted with --enable-metrics, in dynamic mode";

/** A host of a listener may be that of its routes, or that of the listener for all other routes. */
function locationOf({ host, listener, ...route }: RouteName, { servers }: Served): Found | undefined {
  const names = listener === "" ? [host === "*" ? catchAll : host] : [host, catchAll];
  const places = names.flatMap((name) => {
    const server = servers.get(serverKey({ name, ...(listener === "" ? {} : { listener }) }));
    const at = server === undefined ? -1 : placeOf(route, server);
    return at < 0 ? [] : [{ server: server!, at, location: server!.locations[at]! }];
  });
  return places[0];
}

function placeOf(
  { path, owner, when }: Omit<RouteName, "host" | "listener">,
  { locations, routes }: Server<FeatureValues>,
): number {
  return locations.findIndex((location, place) => {
    const name = location.owner === undefined ? "" : `${location.owner.namespace}/${location.owner.name}`;
    const conditions = routes.find((one) => one.location === place)?.conditions;
    return location.path === path && name === owner && conditionWords(conditions) === when;
  });
}

function backendsOf({ backends, filters, features }: Location<FeatureValues>, { upstreams }: Served): BackendRow[] {
  if (filters?.redirect !== undefined || features.redirects.elsewhere !== undefined) return [];
  const all = backends.reduce((sum, { weight }) => sum + weight, 0);
  return backends.map(({ key, port, weight, upstream: id, unusable }) => {
    const upstream = upstreams.get(id);
    return {
      service: key === "" ? "default backend" : `${key}:${port}`,
      share: all === 0 ? 0 : weight / all,
      balance: upstream === undefined ? "" : balanceWords(upstream.balance),
      ready: upstream?.endpoints.length ?? 0,
      unusable: unusable === undefined ? "" : fullSentence(unusable),
    };
  });
}

type PlainEndpoint = Pick<EndpointRow, "service" | "address" | "state">;

/**
 * Returns the endpoints of its backends and canaries: first those that get requests, then those
 * that are not ready.
 */
function endpointsOf(
  { backends, canaries }: Location<FeatureValues>,
  { upstreams }: Served,
  snapshot: Snapshot,
): PlainEndpoint[] {
  const services = new Map<string, Upstream>();
  for (const id of [...backends.map(({ upstream }) => upstream), ...canaries.map(({ upstream }) => upstream)]) {
    const upstream = upstreams.get(id);
    if (upstream !== undefined) services.set(serviceOfUpstream(id), upstream);
  }
  const states = statesOf(new Set([...services.keys()].map((service) => service.replace(/:[^:]*$/, ""))), snapshot);
  return [...services].flatMap(([service, { endpoints }]) => {
    const own = states.get(service.replace(/:[^:]*$/, "")) ?? new Map<string, EndpointRow["state"]>();
    const used = endpoints.map(({ address, port }) => {
      const text = addressWithPort({ address, port });
      return { service, address: text, state: own.get(address) === "draining" ? "draining" : "ready" } as const;
    });
    const isUsed = new Set(endpoints.map(({ address }) => address));
    const unused = [...own].filter(([address, state]) => state === "not ready" && !isUsed.has(address));
    return [...used, ...unused.map(([address, state]) => ({ service, address, state }))];
  });
}

/** Returns the states of endpoints, by Service and by address as in the EndpointSlices. */
function statesOf(
  services: ReadonlySet<string>,
  { endpointSlices }: Snapshot,
): ReadonlyMap<string, Map<string, EndpointRow["state"]>> {
  const found = new Map<string, Map<string, EndpointRow["state"]>>();
  for (const slice of endpointSlices.values()) {
    const service = serviceOf(slice);
    if (service === undefined || !services.has(service)) continue;
    const states = found.get(service) ?? new Map<string, EndpointRow["state"]>();
    found.set(service, states);
    for (const { addresses, conditions = {} } of slice.endpoints ?? []) {
      const draining = conditions.terminating === true && conditions.serving === true;
      const state = conditions.ready !== false ? "ready" : draining ? "draining" : "not ready";
      for (const address of addresses) states.set(address, state);
    }
  }
  return found;
}

function withFigures(
  one: PlainEndpoint,
  figures: PeerFigures | undefined,
  answered: boolean,
): Omit<EndpointRow, "lastError"> {
  return {
    ...one,
    answerSeconds: figures?.answerSeconds ?? null,
    failures: answered && one.state !== "not ready" ? (figures?.failures ?? 0) : null,
  };
}

function ownerOf({ owner }: Location<FeatureValues>, snapshot: Snapshot): KubernetesObject | undefined {
  if (owner === undefined || !Object.hasOwn(tableOf, owner.kind)) return undefined;
  const table = snapshot[tableOf[owner.kind as WatchedKind]] as Table<KubernetesObject> | undefined;
  return table?.get(`${owner.namespace}/${owner.name}`);
}

/** Returns the Problems of its owner, its Services and the Secret of its certificate. */
function problemsOf(
  { owner, backends }: Location<FeatureValues>,
  secret: string | undefined,
  { notes }: PageSource,
): string[] {
  const relevant = new Set([
    ...(owner === undefined ? [] : [`${owner.kind} ${owner.namespace}/${owner.name}`]),
    ...backends.map(({ key }) => `Service ${key}`),
    `Secret ${secret}`,
  ]);
  const isMeant = ({ object }: Problem) => relevant.has(`${object.kind} ${object.namespace}/${object.name}`);
  const about = notes.problems.all.filter(({ problem }) => isMeant(problem));
  return about.map(({ problem }) => withoutCredentials(fullSentence(problem)));
}
