/**
 * Finds Gateways and routes that no controller serves. No controller reports them, because each
 * takes them for another controller's. A tool that has all objects can.
 */
import { gatewayGroup, type ParentReference, type Route } from "../../core/model/gateway/objects.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import type { ObjectName, Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { isDefault, usesDefaults } from "../../core/sources/gateway/listener/default-gateways.ts";
import { type ClassesHere, missingClass } from "./missing-class.ts";

type Objects = Pick<
  Snapshot,
  "gatewayClasses" | "gateways" | "httpRoutes" | "grpcRoutes" | "tlsRoutes" | "tcpRoutes" | "udpRoutes"
>;

/**
 * Returns a Problem for each such Gateway and route. If some GatewayClasses are elsewhere, only
 * classes that look like typing mistakes are reported, as doubts.
 */
export function unservedGateways(objects: Objects, here: ClassesHere): readonly Problem[] {
  const { httpRoutes, grpcRoutes, tlsRoutes, tcpRoutes, udpRoutes } = objects;
  const routes: Route[] = [httpRoutes, grpcRoutes, tlsRoutes, tcpRoutes, udpRoutes].flatMap((table) => [
    ...table.values(),
  ]);
  return [...ofMissingClass(objects, here), ...routes.flatMap(ofNoParent), ...ofNoDefault(routes, objects, here)];
}

function ofMissingClass({ gatewayClasses, gateways }: Objects, here: ClassesHere): readonly Problem[] {
  const names = [...gatewayClasses.keys()];
  return [...gateways.values()].flatMap((gateway): readonly Problem[] => {
    const name = gateway.spec?.gatewayClassName;
    if (name === undefined || gatewayClasses.has(name)) return [];
    return missingClass(nameOf(gateway), "GatewayClass", name, names, here);
  });
}

/**
 * Reports routes whose parents have no kind that Sluice or a service mesh knows. Kinds of other
 * groups may belong to another controller.
 */
function ofNoParent(route: Route): readonly Problem[] {
  const { parentRefs = [] } = route.spec ?? {};
  const done = "the route is not attached there";
  if (parentRefs.length === 0) {
    if (usesDefaults(route)) return [];
    return [problem(route, "spec.parentRefs", "it names no Gateway", "no controller serves the route")];
  }
  return parentRefs.flatMap((parent, at): readonly Problem[] => {
    const why = slipIn(parent);
    return why === undefined ? [] : [problem(route, `spec.parentRefs[${at}].${why.field}`, why.text, done)];
  });
}

/** Reports routes for default Gateways if there is none. */
function ofNoDefault(routes: readonly Route[], { gateways }: Objects, here: ClassesHere): readonly Problem[] {
  if (here === "some" || [...gateways.values()].some(isDefault)) return [];
  const done = "the route is attached to the Gateways that spec.parentRefs names";
  return routes
    .filter(usesDefaults)
    .map((route) => problem(route, "spec.useDefaultGateways", "no Gateway has spec.defaultScope: All", done));
}

const parents = ["Gateway", "ListenerSet"];

function slipIn({ group = gatewayGroup, kind = "Gateway" }: ParentReference) {
  if (group === gatewayGroup && !parents.includes(kind)) {
    return { field: "kind", text: `${JSON.stringify(kind)} is not one of ${parents.join(", ")}` };
  }
  if (group !== gatewayGroup && parents.includes(kind)) {
    return { field: "group", text: `${JSON.stringify(group)} has no ${kind}; write ${gatewayGroup}` };
  }
  return undefined;
}

function problem(object: KubernetesObject, field: string, why: string, done: string): Problem {
  return { kind: "reference-unusable", object: nameOf(object), field, why, done };
}

function nameOf({ kind, metadata: { namespace = "default", name } }: KubernetesObject): ObjectName {
  return { kind, namespace, name };
}
