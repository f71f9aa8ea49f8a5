/**
 * The served routes for the operator: each path with its Service, its endpoints, its canaries, and
 * the certificate of its host. Endpoints that are not ready are missing in the Configuration, so
 * they are counted in the EndpointSlices.
 */

import { shown } from "../../core/kinds/kind.ts";
import { conditionWords } from "../../core/model/condition-words.ts";
import type { CanaryPolicy, Configuration, Location, Server } from "../../core/model/configuration.ts";
import { addressWithPort } from "../../core/model/endpoint.ts";
import { serviceOfUpstream } from "../../core/model/location.ts";
import { type EndpointSlice, serviceOf } from "../../core/model/objects.ts";
import { fullSentence, type Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Settings } from "../../core/settings/registry.ts";
import type { Failures } from "../../edges/failures.ts";
import { hostnameOf } from "./listeners.ts";
import { shownCertificate } from "./shown-certificate.ts";

export interface ServedRoute {
  /** `*` for all hosts. The route of a Gateway without hostnames has that of its listener. */
  readonly host: string;
  readonly path: string;
  readonly type: "Exact" | "Prefix" | "regex" | "unreachable";
  /** `namespace/name` of the Ingress, of the route of a Gateway, or of the ConfigMap of a port. */
  readonly ingress: string;
  /**
   * Absent for an Ingress. It has the kind and, for a Gateway's route, the listener
   * `namespace/gateway/name` and the conditions.
   */
  readonly route?: {
    readonly kind: string;
    readonly listener: string;
    readonly when: string;
    /**
     * The percentage of requests that it takes if an Ingress has the path, too. Absent if it
     * takes all.
     */
    readonly weight?: number;
    /** Whether its listener has TLS and no certificate, so that no client can connect. */
    readonly lacksCertificate?: true;
  };
  /**
   * `namespace/name:port`, or several with their weights; empty if the default backend answers.
   */
  readonly service: string;
  /** `address:port` of the endpoints that get requests. */
  readonly endpoints: readonly string[];
  readonly notReady: number;
  readonly canaries: readonly { readonly service: string; readonly endpoints: number; readonly when: string }[];
  /** Undefined for the default certificate, and for a route of a Gateway without TLS. */
  readonly certificate?: { readonly secret: string; readonly expires: string };
  /** Whether it always answers 503, because a guard cannot be set up. */
  readonly denied: boolean;
  /** The Problem that closes it; absent if it is open. */
  readonly why?: string;
  /**
   * Last good forms in force for its Ingress and its certificate's Secret: the form, and the times
   * from when and until when it is used.
   */
  readonly lastGood?: readonly string[];
  /** Failures of the last minute, in words; absent if there are none. */
  readonly failing?: readonly string[];
}

type Served = Configuration<Settings, FeatureValues>;

/**
 * Returns the routes, sorted by host and path. `host` selects a host, or the wildcard that covers
 * it; undefined selects all. `lastGood` are Problems about last good forms.
 */
export function routesOf(
  served: Served,
  snapshot: Snapshot,
  host?: string,
  lastGood: readonly Problem[] = [],
): readonly ServedRoute[] {
  const notReady = unreadyCounts(snapshot);
  return serversAt(served, host)
    .flatMap((server) => server.locations.map((_, at) => routeOf(server, at, served, notReady)))
    .map((route) => withLastGood(route, lastGood))
    .sort((a, b) => (a.host === b.host ? compared(a.path, b.path) : compared(a.host, b.host)));
}

/** Returns why paths are denied, for each such path of the host, or of all hosts. */
export function denialsOf(served: Pick<Served, "servers" | "listenerPorts">, host?: string): readonly Denial[] {
  const locations = serversAt(served, host).flatMap((server) => server.locations);
  return locations.flatMap((location) => {
    const problem = denialOf(location);
    return problem === undefined ? [] : [{ ingress: ownerKey(location), problem }];
  });
}

export interface Denial extends Pick<ServedRoute, "ingress"> {
  readonly problem: Problem;
}

function serversAt(served: Pick<Served, "servers" | "listenerPorts">, host?: string): Server<FeatureValues>[] {
  const wanted = host?.toLowerCase();
  return [...served.servers.values()].filter((server) => wanted === undefined || takes(server, wanted, served));
}

const ownerKey = ({ owner }: Location<FeatureValues>): string => `${owner?.namespace ?? ""}/${owner?.name ?? ""}`;

const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Returns `route` with those Problems of `lastGood` that concern it. */
export function withLastGood(route: ServedRoute, lastGood: readonly Problem[]): ServedRoute {
  const relevant = lastGood.filter(({ object }) => {
    const key = `${object.namespace}/${object.name}`;
    return object.kind === "Secret"
      ? key === route.certificate?.secret
      : object.kind === "Ingress" && key === route.ingress;
  });
  return relevant.length === 0 ? route : { ...route, lastGood: relevant.map(fullSentence) };
}

function takes(server: Server<FeatureValues>, host: string, { listenerPorts }: Pick<Served, "listenerPorts">): boolean {
  const { listener, name, aliases } = server;
  if (listener !== undefined) {
    const own = hostnameOf(server, listenerPorts);
    return own === "*" || own === host || isBelow(host, own);
  }
  const all = [name, ...aliases.map((alias) => alias.name)];
  return all.includes(host) || (name.startsWith("*.") && host.slice(host.indexOf(".")) === name.slice(1));
}

/** Whether the wildcard covers the host. A wildcard of a Gateway stands for one or more labels. */
function isBelow(host: string, name: string): boolean {
  return name.startsWith("*.") && host.endsWith(name.slice(1)) && host.length >= name.length;
}

/** Returns `route` with what has failed, if some of it failed in the last minute. */
export function withFailures<R extends Omit<ServedRoute, "type">>(route: R, failures: Failures): R {
  const { host, ingress: owner, path, endpoints } = route;
  if (!failures.isFailing({ host, owner, path }, endpoints)) return route;
  const { errors, requests } = failures.words({ host, owner, path }, endpoints);
  return { ...route, failing: [...errors.slice(0, 3), ...requests.slice(0, 2)] };
}

/** Returns one location of a server; `notReady` are the counts of `unreadyCounts`. */
export function routeOf(
  server: Server<FeatureValues>,
  at: number,
  served: Served,
  notReady: ReadonlyMap<string, number>,
): ServedRoute {
  const location = server.locations[at]!;
  const { path, canaries } = location;
  const { upstreams } = served;
  const { certificate, lacking } = shownCertificate(server, served);
  // Two backends may lead to one Service by two ports, and to one endpoint by two Services.
  const asked = usedBackends(location);
  const endpoints = new Set(asked.flatMap((one) => upstreams.get(one.upstream)?.endpoints ?? []).map(addressWithPort));
  const services = new Set(asked.map(({ key }) => key).filter((key) => key !== ""));
  const denial = denialOf(location);
  return {
    host: hostnameOf(server, served.listenerPorts),
    path,
    type: typeOf(server, at),
    ingress: ownerKey(location),
    ...(server.listener === undefined ? {} : { route: ofGateway(server, server.listener, at, lacking) }),
    service: targetOf(location),
    endpoints: [...endpoints],
    notReady: [...services].reduce((sum, key) => sum + (notReady.get(key) ?? 0), 0),
    canaries: canaries.map(({ upstream: id, policy }) => ({
      service: serviceOfUpstream(id),
      endpoints: upstreams.get(id)?.endpoints.length ?? 0,
      when: canaryRule(policy),
    })),
    ...(certificate === undefined ? {} : { certificate }),
    denied: denial !== undefined,
    ...(denial === undefined ? {} : { why: fullSentence(denial) }),
  };
}

/** Returns the rule by which a canary takes requests, in words. */
export function canaryRule(policy: CanaryPolicy): string {
  const { header, cookie, weight, weightTotal } = policy;
  const rules = [
    ...(header === "" ? [] : [`header ${header}${headerRule(policy)}`]),
    ...(cookie === "" ? [] : [`cookie ${cookie}`]),
    ...(weight === 0 ? [] : [`${weight} of ${weightTotal}`]),
  ];
  return rules.length === 0 ? "no request, since it has no header, cookie or weight" : rules.join(", ");
}

/** Returns what the header must hold; without a value or a pattern it is `always` (RS-13.5). */
function headerRule({ headerValue, headerPattern }: CanaryPolicy): string {
  if (headerValue !== "") return ` with the value ${shown(headerValue)}`;
  return headerPattern === "" ? "" : ` matching ${shown(headerPattern)}`;
}

/** Returns the backends that get requests. */
function usedBackends({ backends }: Location<FeatureValues>): Location<FeatureValues>["backends"] {
  return backends.length === 1 ? backends : backends.filter(({ weight }) => weight > 0);
}

/**
 * Returns the Problem because of which all requests to a Location get an error: it is closed, or no
 * backend of the route can be used.
 */
function denialOf({ closed, backends, filters }: Location<FeatureValues>): Problem | undefined {
  if (closed !== undefined) return closed;
  const reasons = backends.flatMap(({ unusable }) => unusable ?? []);
  const isUsable = filters?.redirect !== undefined || reasons.length < backends.length;
  return isUsable ? undefined : reasons[0];
}

function targetOf({ backends, filters }: Location<FeatureValues>): string {
  if (filters?.redirect !== undefined) return `redirect ${filters.redirect.status}`;
  const usable = backends.filter(({ key }) => key !== "");
  const [only] = usable;
  if (usable.length === 1 && backends.length === 1) return `${only!.key}:${only!.port}`;
  return usable.map(({ key, port, weight }) => `${key}:${port} (${weight})`).join(", ");
}

function ofGateway(
  server: Server<FeatureValues>,
  listener: string,
  at: number,
  lacking: true | undefined,
): NonNullable<ServedRoute["route"]> {
  const { owner, share } = server.locations[at]!;
  const conditions = server.routes.find(({ location }) => location === at)?.conditions;
  const weight = share === undefined ? {} : { weight: Math.round(100 * share) };
  const lacks = lacking === undefined ? {} : { lacksCertificate: lacking };
  return { kind: owner?.kind ?? "", listener, when: conditionWords(conditions), ...weight, ...lacks };
}

function typeOf({ routes }: Server<FeatureValues>, at: number): ServedRoute["type"] {
  const matches = new Set(routes.filter(({ location }) => location === at).map(({ match }) => match));
  if (matches.has("regex") || matches.has("pattern")) return "regex";
  if (matches.has("prefix")) return "Prefix";
  return matches.has("exact") ? "Exact" : "unreachable";
}

/** Returns the number of addresses that get no requests, by Service. */
export function unreadyCounts({ endpointSlices }: Snapshot): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const slice of endpointSlices.values()) {
    const { service, count } = unreadyIn(slice);
    if (count > 0) counts.set(service, (counts.get(service) ?? 0) + count);
  }
  return counts;
}

/**
 * Returns the Service of an EndpointSlice, and the number of its addresses that get no requests.
 */
export function unreadyIn(slice: EndpointSlice): { readonly service: string; readonly count: number } {
  const service = serviceOf(slice);
  const unready = (slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready === false);
  return { service: service ?? "", count: service === undefined ? 0 : unready.length };
}
