/**
 * Finds policies of other controllers whose target Sluice serves, such as a SecurityPolicy of Envoy
 * Gateway for an HTTPRoute. Sluice does not read their kinds, so the target would lose its guards
 * and limits without a message. A policy for a Service counts only if its kind belongs to another
 * gateway, because a service mesh may still follow its own ones behind Sluice.
 */
import { gatewayGroup, type LabelSelector, type ObjectReference, type Route } from "../../../model/gateway/objects.ts";
import { isMapping, type Mapping } from "../../../model/mapping.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { type Snapshot, tableOf } from "../../../model/snapshot.ts";
import type { Finding } from "../../../page/ask/world.ts";
import { named, type ObjectName, type Problem } from "../../../problem.ts";
import { severityOf } from "../../../severity.ts";
import { selects } from "../../../translate/gateway/namespaces.ts";
import type { Files } from "../folder.ts";
import { firstOf } from "../words.ts";

const targetKinds = ["Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"] as const;
const routeKinds = targetKinds.slice(2);
const takesSettings: ReadonlySet<string> = new Set(targetKinds.slice(0, 4));
/** Groups of gateways whose policies have no other reader. */
const groupsOfGateways: ReadonlySet<string> = new Set([
  ...["gateway.nginx.org", "gateway.kgateway.dev", "gateway.envoyproxy.io", "networking.gke.io"],
  ...["application-networking.k8s.aws", "gateway.networking.x-k8s.io", "alb.networking.azure.io"],
]);
const mostNamed = 3;

/** Returns the findings about all files. `written` are the files that have places. */
export function foreignPolicies(
  files: Files,
  written: ReadonlySet<string>,
  snapshot: Snapshot,
  controllerName: string,
): readonly Finding[] {
  const routed = servedTargets(snapshot, controllerName);
  const targets = [...routed, ...servicesOf(routed, snapshot)];
  if (targets.length === 0) return [];
  return [...files].flatMap(([file, { others }]) =>
    others.flatMap(({ value, placeOf }) =>
      problemsOf(value, targets).map(({ path, problem }): Finding => {
        const at = written.has(file) ? { file, ...placeOf(path) } : undefined;
        return { severity: severityOf(problem), at, problem };
      }),
    ),
  );
}

export interface Target extends ObjectName {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Returns Sluice's Gateways, their ListenerSets, and the routes that name one of these. */
export function servedTargets(snapshot: Snapshot, controllerName: string): readonly Target[] {
  const served = new Map<string, Target>();
  const add = (object: KubernetesObject) => served.set(named(targetOf(object)), targetOf(object));
  const names = (parent: ObjectReference | undefined, home: string) =>
    parent !== undefined &&
    served.has(named({ kind: parent.kind ?? "Gateway", namespace: parent.namespace ?? home, name: parent.name }));
  for (const gateway of snapshot.gateways.values()) {
    const found = snapshot.gatewayClasses.get(gateway.spec?.gatewayClassName ?? "");
    if (found?.spec?.controllerName === controllerName) add(gateway);
  }
  for (const set of snapshot.listenerSets.values()) if (names(set.spec?.parentRef, homeOf(set))) add(set);
  for (const kind of routeKinds) {
    for (const route of snapshot[tableOf[kind]].values() as Iterable<Route>) {
      if (route.spec?.parentRefs?.some((parent) => names(parent, homeOf(route)))) add(route);
    }
  }
  return [...served.values()];
}

interface Rules {
  readonly rules?: readonly { readonly backendRefs?: readonly ObjectReference[] }[];
}

/** Returns the Services that the routes among `served` name. */
function servicesOf(served: readonly Target[], snapshot: Snapshot): readonly Target[] {
  const keys = served.flatMap(({ kind, namespace = "default", name }) => {
    const routeKind = routeKinds.find((one) => one === kind);
    const route = routeKind && snapshot[tableOf[routeKind]].get(`${namespace}/${name}`);
    const backends = ((route?.spec ?? {}) as Rules).rules?.flatMap(({ backendRefs = [] }) => backendRefs) ?? [];
    const services = backends.filter((backend) => (backend.kind ?? "Service") === "Service");
    return services.map((backend) => `${backend.namespace ?? namespace}/${backend.name}`);
  });
  return [...new Set(keys)].flatMap((key) => {
    const service = snapshot.services.get(key);
    return service === undefined ? [] : [targetOf(service)];
  });
}

const homeOf = ({ metadata: { namespace = "default" } }: KubernetesObject): string => namespace;

function targetOf(object: KubernetesObject): Target {
  const { name, labels = {}, annotations = {} } = object.metadata;
  return { kind: object.kind, namespace: homeOf(object), name, labels, annotations };
}

interface PlacedProblem {
  readonly path: readonly (string | number)[];
  readonly problem: Problem;
}

/** Reads `targetRef`, `targetRefs` and `targetSelectors`, as policies of all projects have them. */
function problemsOf(value: Mapping, targets: readonly Target[]): readonly PlacedProblem[] {
  const { apiVersion, kind, metadata, spec } = value;
  if (!isMapping(spec) || !isMapping(metadata)) return [];
  const namespace = typeof metadata.namespace === "string" ? metadata.namespace : "default";
  const object = { kind: String(kind), namespace, name: String(metadata.name ?? "") };
  const group = String(apiVersion).split("/")[0]!;
  return referencesIn(spec).flatMap(({ steps, reference, isSelector }): readonly PlacedProblem[] => {
    const isService = reference.kind === "Service" && (reference.group ?? "") === "" && groupsOfGateways.has(group);
    if (reference.group !== gatewayGroup && !isService) return [];
    const fits = (target: Target) =>
      target.kind === reference.kind &&
      target.namespace === (typeof reference.namespace === "string" ? reference.namespace : namespace) &&
      (isSelector ? selects(reference as LabelSelector, target.labels) : target.name === reference.name);
    const found = targets.filter(fits);
    if (found.length === 0) return [];
    const are = found.length === 1 ? "is" : "are";
    const kindOf = found[0]!.kind;
    const advice = isService
      ? "; RouteSettings of its routes may do the same"
      : takesSettings.has(kindOf)
        ? "; RouteSettings may do the same"
        : "";
    const why = `${firstOf(found.map(named), mostNamed)} ${are} served without this policy, because Sluice does not read ${object.kind} of ${group}${advice}`;
    const field = steps.length === 1 ? `spec.${steps[0]}` : `spec.${steps[0]}[${steps[1]}]`;
    return [{ path: ["spec", ...steps], problem: { kind: "field-doubtful", object, field, why } }];
  });
}

interface WrittenReference {
  readonly steps: readonly (string | number)[];
  readonly reference: Mapping;
  readonly isSelector: boolean;
}

function referencesIn(spec: Mapping): readonly WrittenReference[] {
  const single = isMapping(spec.targetRef)
    ? [{ steps: ["targetRef"], reference: spec.targetRef, isSelector: false }]
    : [];
  const lists = ["targetRefs", "targetSelectors"].flatMap((field) => {
    const { [field]: list } = spec;
    if (!Array.isArray(list)) return [];
    return list.flatMap((reference: unknown, at) =>
      isMapping(reference) ? [{ steps: [field, at], reference, isSelector: field === "targetSelectors" }] : [],
    );
  });
  return [...single, ...lists];
}
