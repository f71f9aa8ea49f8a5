/**
 * The webhook's warnings for an Ingress about the shared Gateway: paths of its hosts whose requests
 * go to a route. The sentences are the same as in its Events.
 */
import { guarded } from "../../../base/guarded.ts";
import type { ListenerSet } from "../../../core/model/gateway/listener-set.ts";
import type { Route } from "../../../core/model/gateway/objects.ts";
import { type Ingress, keyOf } from "../../../core/model/objects.ts";
import type { Problem } from "../../../core/model/problem.ts";
import { emptySnapshot, type ObjectChange, type Snapshot, withObjects } from "../../../core/model/snapshot.ts";
import { Table } from "../../../core/model/table.ts";
import { isDefault, usesDefaults } from "../../../core/sources/gateway/listener/default-gateways.ts";
import type { TranslateOptions } from "../../../core/table/options.ts";
import { notYet } from "../not-yet.ts";
import { isSmall, mostNeighbours, problemsIn } from "./warnings.ts";

const kinds = { HTTPRoute: "httpRoutes", GRPCRoute: "grpcRoutes" } as const;

/**
 * Returns no warnings without a shared Gateway, or if Sluice fails: any client that reaches the
 * port can send anything.
 */
export function routesBeside(ingress: Ingress, snapshot: Snapshot, options: TranslateOptions): readonly Problem[] {
  const { shared = "" } = options.gateway;
  const gateway = snapshot.gateways.get(shared);
  if (gateway === undefined || !isSmall(ingress)) return [];
  const routes = routesAt(ingress, snapshot, shared);
  if (routes.length === 0) return [];
  const own = ({ kind, namespace, name }: Problem["object"]) =>
    kind === "Ingress" && name === ingress.metadata.name && namespace === (ingress.metadata.namespace ?? "default");
  return guarded(
    () => {
      const part: Snapshot = {
        ...emptySnapshot,
        gatewayClasses: snapshot.gatewayClasses,
        ingressClasses: snapshot.ingressClasses,
        namespaces: snapshot.namespaces,
        listenerSets: Table.from([...snapshot.listenerSets].filter(([, set]) => gatewayOf(set) === shared)),
      };
      const objects = withObjects(part, [
        { kind: "Gateway", key: shared, object: gateway },
        {
          kind: "Ingress",
          key: keyOf(ingress),
          object: { ...ingress, metadata: { creationTimestamp: notYet, ...ingress.metadata } },
        },
        ...routes,
      ]);
      // Other parts judge the objects that the Ingress itself refers to.
      return problemsIn(objects, { ...options, hostPolicy: undefined }).filter(
        ({ object, by }) => own(object) && by !== undefined && Object.hasOwn(kinds, by.kind),
      );
    },
    () => [],
  );
}

function gatewayOf({ spec, metadata: { namespace = "default" } }: ListenerSet): string {
  const parent = spec?.parentRef;
  return `${parent?.namespace ?? namespace}/${parent?.name}`;
}

/**
 * Returns the routes of the shared Gateway, or of a ListenerSet, that may have a host of the
 * Ingress.
 */
function routesAt({ spec }: Ingress, snapshot: Snapshot, shared: string): readonly ObjectChange[] {
  const hosts = new Set((spec?.rules ?? []).map(({ host = "" }) => host.toLowerCase()));
  const gateway = snapshot.gateways.get(shared);
  const isSharedDefault = gateway !== undefined && isDefault(gateway);
  const found: ObjectChange[] = [];
  for (const [kind, table] of Object.entries(kinds) as [keyof typeof kinds, "httpRoutes" | "grpcRoutes"][]) {
    for (const [key, object] of snapshot[table]) {
      if (found.length === mostNeighbours) return found;
      if (hasHost(object, hosts) && isAt(object, shared, isSharedDefault)) found.push({ kind, key, object });
    }
  }
  return found;
}

/**
 * Whether the route has one of these hosts. A route without hostnames has the hostnames of its
 * listeners.
 */
function hasHost({ spec }: Route, hosts: ReadonlySet<string>): boolean {
  const hostnames = spec?.hostnames ?? [];
  return hostnames.length === 0 || hostnames.some((hostname) => hosts.has(hostname.toLowerCase()));
}

function isAt(route: Route, shared: string, isSharedDefault: boolean): boolean {
  const { spec, metadata } = route;
  const { namespace: own = "default" } = metadata;
  if (isSharedDefault && usesDefaults(route)) return true;
  return (spec?.parentRefs ?? []).some(
    ({ kind = "Gateway", namespace = own, name }) => kind === "ListenerSet" || `${namespace}/${name}` === shared,
  );
}
