/**
 * The webhook's warnings for a Gateway, a ListenerSet or a route, and for an Ingress beside routes.
 * They are the Problems that the object would have, found by the code that makes its conditions.
 * They are only warnings, because missing objects often arrive a moment later. Only the objects
 * that it refers to or competes with are translated.
 */
import { guarded } from "../../../base/guarded.ts";
import { type Certificate, noIdentity, SecretText } from "../../../core/model/configuration.ts";
import type { ListenerSet } from "../../../core/model/gateway/listener-set.ts";
import type { Route } from "../../../core/model/gateway/objects.ts";
import { missingIn } from "../../../core/model/missing.ts";
import { type Ingress, type KubernetesObject, keyOf, keyOfName, type Secret } from "../../../core/model/objects.ts";
import type { Problem } from "../../../core/model/problem.ts";
import {
  emptySnapshot,
  type ObjectChange,
  type Snapshot,
  tableOf,
  type WatchedKind,
  withObjects,
} from "../../../core/model/snapshot.ts";
import { Table } from "../../../core/model/table.ts";
import { isDefault, usesDefaults } from "../../../core/sources/gateway/listener/default-gateways.ts";
import { parentsNamed } from "../../../core/sources/gateway/route/attach.ts";
import { onNamespaces, policyConfigMap } from "../../../core/sources/host-policy/in-force.ts";
import type { TranslateOptions } from "../../../core/table/options.ts";
import { translate } from "../../../core/table/translator.ts";
import { emptyInputs } from "../../../core/table/turn.ts";
import { notYet } from "../not-yet.ts";
import type { GatewayObject } from "./subject.ts";

/**
 * The most objects of the same kind that are read beside the one under review: routes that may have
 * its matches, and ListenerSets of its Gateway. In ordinary clusters fewer routes share a host.
 */
const mostNeighbours = 100;

/**
 * Returns no warnings if the object is not ours, or Sluice fails on it: any client that reaches
 * the port can send anything.
 */
export function warningsFor(object: GatewayObject, snapshot: Snapshot, options: TranslateOptions): readonly Problem[] {
  return guarded(
    () => {
      const problems = problemsOf(object, surroundings(object, snapshot, options), options);
      return problems.filter((problem) => problem.kind !== "bug" && !isUnknown(problem, snapshot));
    },
    () => [],
  );
}

/** Returns the Problems of one object of the Snapshot, in which few others are. */
function problemsOf({ kind, metadata }: KubernetesObject, snapshot: Snapshot, options: TranslateOptions) {
  const { problems } = translate(
    { ...emptyInputs, snapshot },
    { ...options, configMap: undefined, defaultBackendService: undefined, defaultSslCertificate: undefined },
    noCertificate,
  );
  const own = ({ object: { kind: of, namespace, name } }: Problem) =>
    of === kind && name === metadata.name && namespace === metadata.namespace;
  return [...problems.values()].flat().filter(own);
}

const besides = { HTTPRoute: "httpRoutes", GRPCRoute: "grpcRoutes" } as const;

/**
 * Returns warnings for an Ingress about the shared Gateway: paths of its hosts whose requests go to
 * a route. There are none without a shared Gateway.
 */
export function routesBeside(ingress: Ingress, snapshot: Snapshot, options: TranslateOptions): readonly Problem[] {
  const { shared = "" } = options.gateway;
  const gateway = snapshot.gateways.get(shared);
  if (gateway === undefined || !isSmall(ingress)) return [];
  const routes = routesAt(ingress, snapshot, shared, isDefault(gateway));
  if (routes.length === 0) return [];
  return guarded(
    () => {
      const { namespace = "default" } = ingress.metadata;
      const metadata = { creationTimestamp: notYet, ...ingress.metadata, namespace };
      const isOfShared = ([, set]: readonly [string, ListenerSet]) => gatewayOf(set, "default") === shared;
      const part: Snapshot = {
        ...emptySnapshot,
        gatewayClasses: snapshot.gatewayClasses,
        ingressClasses: snapshot.ingressClasses,
        namespaces: snapshot.namespaces,
        listenerSets: Table.from([...snapshot.listenerSets].filter(isOfShared)),
      };
      const objects = withObjects(part, [
        { kind: "Gateway", key: shared, object: gateway },
        { kind: "Ingress", key: keyOf(ingress), object: { ...ingress, metadata } },
        ...routes,
      ]);
      // Other parts judge the objects that the Ingress itself refers to.
      const problems = problemsOf({ ...ingress, metadata }, objects, { ...options, hostPolicy: undefined });
      return problems.filter(({ by }) => by !== undefined && Object.hasOwn(besides, by.kind));
    },
    () => [],
  );
}

/**
 * Returns the routes of the shared Gateway, or of a ListenerSet, that may have a host of the
 * Ingress. A route without hostnames has those of its listeners.
 */
function routesAt({ spec }: Ingress, snapshot: Snapshot, shared: string, isSharedDefault: boolean) {
  const hosts = new Set((spec?.rules ?? []).map(({ host = "" }) => host.toLowerCase()));
  const hasHost = ({ hostnames = [] }: Route["spec"] & object) =>
    hostnames.length === 0 || hostnames.some((hostname) => hosts.has(hostname.toLowerCase()));
  const isAt = (route: Route) =>
    (isSharedDefault && usesDefaults(route)) ||
    route.spec?.parentRefs?.some(
      ({ kind = "Gateway", namespace = route.metadata.namespace ?? "default", name }) =>
        kind === "ListenerSet" || `${namespace}/${name}` === shared,
    );
  const found: ObjectChange[] = [];
  for (const [kind, table] of Object.entries(besides) as [keyof typeof besides, "httpRoutes" | "grpcRoutes"][])
    for (const [key, object] of snapshot[table]) {
      if (found.length === mostNeighbours) return found;
      if (hasHost(object.spec ?? {}) && isAt(object)) found.push({ kind, key, object });
    }
  return found;
}

/** Returns the part of the Snapshot that decides about the object, including the object. */
function surroundings(object: GatewayObject, all: Snapshot, options: TranslateOptions): Snapshot {
  const isByLabels = options.hostPolicy === onNamespaces;
  const policy = policyConfigMap(options);
  const { kind, metadata } = object;
  const namespace = metadata.namespace ?? "default";
  const named = namesIn(object.spec, namespace);
  const namespaces = new Set([...named].map((key) => key.slice(0, key.indexOf("/"))));
  const those = <T>(table: Table<T>, keys: Iterable<string>): Table<T> =>
    Table.from([...keys].flatMap((key) => (table.has(key) ? [[key, table.get(key)!] as const] : [])));
  const sets = those(all.listenerSets, named);
  const defaults = usesDefaults(object as Route) ? defaultsIn(all) : [];
  const isKnown = ([, secret]: readonly [string, Secret]) => !isNameOnly(secret);
  const part: Snapshot = {
    ...emptySnapshot,
    gatewayClasses: all.gatewayClasses,
    ingressClasses: all.ingressClasses,
    localAddresses: all.localAddresses,
    gateways: those(all.gateways, [...named, ...gatewaysOf(sets, namespace), ...defaults]),
    listenerSets: sets,
    namespaces: isByLabels
      ? all.namespaces
      : those(all.namespaces, [namespace, ...[...sets.values()].map((set) => set.metadata.namespace ?? "")]),
    services: those(all.services, named),
    configMaps: those(all.configMaps, policy === undefined ? named : [...named, policy]),
    routeSettings: those(all.routeSettings, named),
    secrets: Table.from([...those(all.secrets, named)].filter(isKnown)),
    referenceGrants: Table.from(
      [...all.referenceGrants].filter(([, grant]) => namespaces.has(grant.metadata.namespace ?? "default")),
    ),
  };
  const watched = kind as WatchedKind;
  const others = othersBeside(object, all);
  return withObjects(part, [
    ...[...others, object].map((one) => ({ kind: watched, key: keyOf(one), object: one })),
    ...ingressesBeside(object, all).map((one) => ({ kind: "Ingress" as const, key: keyOf(one), object: one })),
  ]);
}

/** Returns the default Gateways, of any controller, as `namespace/name`. */
function defaultsIn({ gateways }: Snapshot): readonly string[] {
  return [...gateways].flatMap(([key, gateway]) => (isDefault(gateway) ? [key] : []));
}

/** Returns the Gateways to which the ListenerSets are attached, as `namespace/name`. */
function gatewaysOf(sets: Table<ListenerSet>, namespace: string): readonly string[] {
  return [...sets.values()].flatMap((set) => gatewayOf(set, namespace) ?? []);
}

function gatewayOf({ spec, metadata }: ListenerSet, namespace: string): string | undefined {
  const parent = spec?.parentRef;
  return parent && `${parent.namespace ?? metadata.namespace ?? namespace}/${parent.name}`;
}

/** Returns the objects of the same kind that may have what the object claims. */
function othersBeside(object: GatewayObject, all: Snapshot): readonly GatewayObject[] {
  if (isSet(object)) return siblingsOf(object, all.listenerSets);
  const { kind } = object;
  if (kind === "Gateway") return [];
  return neighboursOf(object as Route, all[tableOf[kind as WatchedKind]] as Table<Route>, defaultsIn(all));
}

const isSet = (object: GatewayObject): object is ListenerSet => object.kind === "ListenerSet";

/** Returns the other sets of its Gateway, whose listeners may collide with its own. */
function siblingsOf(set: ListenerSet, all: Table<ListenerSet>): readonly ListenerSet[] {
  const gateway = gatewayOf(set, "default");
  const found: ListenerSet[] = [];
  for (const [key, other] of all) {
    if (found.length === mostNeighbours) break;
    if (key !== keyOf(set) && gateway !== undefined && gatewayOf(other, "default") === gateway) found.push(other);
  }
  return found;
}

/** Returns the routes of the same kind that share a parent and a hostname with this one. */
function neighboursOf(route: Route, all: Table<Route>, defaults: readonly string[]): readonly Route[] {
  const own = keyOf(route);
  const places = placesOf(route, defaults);
  const found: Route[] = [];
  for (const [key, other] of all) {
    if (key === own || found.length === mostNeighbours) continue;
    if ([...placesOf(other, defaults)].some((place) => places.has(place))) found.push(other);
  }
  return found;
}

/**
 * Returns the Ingresses with a host of the route: on a shared port they may have one of its paths.
 */
function ingressesBeside({ kind, spec }: GatewayObject, { ingresses }: Snapshot): readonly Ingress[] {
  if (kind !== "HTTPRoute" && kind !== "GRPCRoute") return [];
  const hostnames = new Set(((spec as Route["spec"])?.hostnames ?? []).map((hostname) => hostname.toLowerCase()));
  const found: Ingress[] = [];
  if (hostnames.size === 0) return found;
  for (const ingress of ingresses.values()) {
    const hosts = ingress.spec?.rules?.map(({ host }) => host?.toLowerCase() ?? "") ?? [];
    if (isSmall(ingress) && hosts.some((host) => hostnames.has(host))) found.push(ingress);
    if (found.length === mostNeighbours) break;
  }
  return found;
}

/** Whether the Ingress has so few paths that a review may compare them with those of routes. */
function isSmall({ spec }: Ingress): boolean {
  const rules = spec?.rules ?? [];
  return rules.length <= mostNeighbours && rules.every(({ http }) => (http?.paths?.length ?? 0) <= mostNeighbours);
}

/**
 * Returns the Gateway or ListenerSet together with the host, for each pair that the route names.
 */
function placesOf(route: Route, defaults: readonly string[]): ReadonlySet<string> {
  const { hostnames = [""] } = route.spec ?? {};
  const hosts = hostnames.length === 0 ? [""] : hostnames;
  const parents = parentsNamed(route, defaults);
  return new Set(parents.flatMap((parent) => hosts.map((host) => `${parent} ${host.toLowerCase()}`)));
}

/** Returns `namespace/name` of all objects, of any kind, that the object may refer to. */
function namesIn(spec: GatewayObject["spec"], namespace: string): ReadonlySet<string> {
  const found = new Set<string>();
  const pending: unknown[] = [spec];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) continue;
    const { name, namespace: home = namespace } = value as { readonly name?: unknown; readonly namespace?: unknown };
    if (typeof name === "string" && typeof home === "string") found.add(`${home}/${name}`);
    pending.push(...Object.values(value));
  }
  return found;
}

/** Whether the controller has only the name of the Secret, because no object refers to it yet. */
const isNameOnly = ({ data, type }: Secret): boolean => data === undefined && type === undefined;

function isUnknown(problem: Problem, { secrets }: Snapshot): boolean {
  const missing = missingIn(problem);
  const secret = missing?.kind === "Secret" ? secrets.get(keyOfName(missing)) : undefined;
  return secret !== undefined && isNameOnly(secret);
}

/** A stand-in for the missing content. It is never served. */
const noCertificate: Certificate = {
  id: "none",
  chain: "",
  key: new SecretText(""),
  notBefore: new Date(0),
  notAfter: new Date(8.64e15),
  names: [],
  identity: noIdentity,
  weakness: undefined,
  fingerprint: "none",
};
