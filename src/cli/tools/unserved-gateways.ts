/**
 * Gateways and routes of the Gateway API that no controller serves, and that no controller reports
 * either: each takes them for another's. Where all objects are before us, it can be said.
 */
import { nearest } from "../../kinds/nearest.ts";
import { gatewayGroup, type ParentReference, type Route } from "../../model/gateway/objects.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Problem } from "../../problem.ts";

type Objects = Pick<
  Snapshot,
  "gatewayClasses" | "gateways" | "httpRoutes" | "grpcRoutes" | "tlsRoutes" | "tcpRoutes" | "udpRoutes"
>;

/**
 * `allAreHere` says whether the folder has all GatewayClasses. Without them only slips of the pen
 * are reported.
 */
export function unservedGateways(objects: Objects, allAreHere: boolean): readonly Problem[] {
  const { httpRoutes, grpcRoutes, tlsRoutes, tcpRoutes, udpRoutes } = objects;
  const routes: Route[] = [httpRoutes, grpcRoutes, tlsRoutes, tcpRoutes, udpRoutes].flatMap((table) => [
    ...table.values(),
  ]);
  return [...ofMissingClass(objects, allAreHere), ...routes.flatMap(ofNoParent)];
}

function ofMissingClass({ gatewayClasses, gateways }: Objects, allAreHere: boolean): readonly Problem[] {
  const names = [...gatewayClasses.keys()];
  return [...gateways.values()].flatMap((gateway): readonly Problem[] => {
    const name = gateway.spec?.gatewayClassName;
    if (name === undefined || gatewayClasses.has(name)) return [];
    const meant = nearest(name, names);
    if (meant === undefined && !allAreHere) return [];
    const why = `there is no GatewayClass ${JSON.stringify(name)}${meant === undefined ? "" : ` (did you mean ${meant}?)`}`;
    return [problem(gateway, "spec.gatewayClassName", why, "no controller serves it")];
  });
}

/** The kinds of a mesh's parents and of Sluice's; others may be those of another controller. */
function ofNoParent(route: Route): readonly Problem[] {
  const { parentRefs = [], useDefaultGateways = "None" } = route.spec ?? {};
  const done = "the route is not attached there";
  if (parentRefs.length === 0) {
    if (useDefaultGateways !== "None") return [];
    return [problem(route, "spec.parentRefs", "it names no Gateway", "no controller serves the route")];
  }
  return parentRefs.flatMap((parent, at): readonly Problem[] => {
    const why = slipIn(parent);
    return why === undefined ? [] : [problem(route, `spec.parentRefs[${at}].${why.field}`, why.text, done)];
  });
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

function problem({ kind, metadata }: KubernetesObject, field: string, why: string, done: string): Problem {
  const { namespace = "default", name } = metadata;
  return { kind: "field-unusable", object: { kind, namespace, name }, field, why, done };
}
