/**
 * Finds policies of other controllers whose target Sluice serves, such as a SecurityPolicy of Envoy
 * Gateway for an HTTPRoute. Sluice does not read their kinds, so the target would lose its guards
 * and limits without a message. One that guards is an error, because requests pass without it. A
 * policy for a Service counts only if its kind belongs to another gateway, because a service mesh
 * may still follow its own ones behind Sluice.
 */

import type { Finding } from "../../ask/page/ask/world.ts";
import {
  gatewayGroup,
  type LabelSelector,
  type ObjectReference,
  type Route,
} from "../../core/model/gateway/objects.ts";
import { sluiceGroup } from "../../core/model/gateway/route-settings.ts";
import { isMapping, type Mapping } from "../../core/model/mapping.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import { named, type ObjectName, type Problem } from "../../core/model/problem.ts";
import { severityOf } from "../../core/model/problem-kinds.ts";
import { type Snapshot, tableOf } from "../../core/model/snapshot.ts";
import { selects } from "../../core/sources/gateway/namespaces.ts";
import type { Files } from "../folder.ts";
import { firstOf } from "../words.ts";
import { guardOf } from "./foreign-guards.ts";

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

/** Reads the references to targets, as policies of all projects have them. */
function problemsOf(value: Mapping, targets: readonly Target[]): readonly PlacedProblem[] {
  const { apiVersion, kind, metadata, spec } = value;
  if (!isMapping(spec) || !isMapping(metadata)) return [];
  const namespace = typeof metadata.namespace === "string" ? metadata.namespace : "default";
  const object = { kind: String(kind), namespace, name: String(metadata.name ?? "") };
  const group = String(apiVersion).split("/")[0]!;
  if (group === sluiceGroup || group === gatewayGroup) return [];
  const guard = guardOf(group, object.kind, spec);
  return referencesIn(spec, group, namespace).flatMap(({ steps, isFor, isMesh = false }): readonly PlacedProblem[] => {
    const found = targets.filter((target) => isFor(target));
    const isService = found[0]?.kind === "Service";
    if (found.length === 0 || (isService && !isMesh && !groupsOfGateways.has(group))) return [];
    const are = found.length === 1 ? "is" : "are";
    const field = steps.reduce<string>(
      (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
      "spec",
    );
    const because = `because Sluice does not read ${object.kind} of ${group}`;
    const some = firstOf(found.map(named), mostNamed);
    const path = ["spec", ...steps];
    if (guard !== undefined) {
      const why = `${some} ${are} served without this guard, ${because}; ${guard}`;
      return [{ path, problem: { kind: "guard-foreign", object, field, why } }];
    }
    const advice = isService
      ? "; RouteSettings of its routes may do the same"
      : takesSettings.has(found[0]!.kind)
        ? "; RouteSettings may do the same"
        : "";
    const why = `${some} ${are} served without this policy, ${because}${advice}`;
    return [{ path, problem: { kind: "field-doubtful", object, field, why } }];
  });
}

interface WrittenReference {
  readonly steps: readonly (string | number)[];
  /** Whether the policy is for the target. */
  readonly isFor: (target: Target) => boolean;
  /** Whether a gateway follows it for the Service, although its group is that of a mesh. */
  readonly isMesh?: true;
}

function referencesIn(spec: Mapping, group: string, home: string): readonly WrittenReference[] {
  const single = isMapping(spec.targetRef) ? [{ steps: ["targetRef"], isFor: byName(spec.targetRef, home) }] : [];
  const refs = listed(spec, "targetRefs").map(({ steps, item }) => ({ steps, isFor: byName(item, home) }));
  const selectors = listed(spec, "targetSelectors").map(({ steps, item }) => ({ steps, isFor: byLabels(item, home) }));
  return [
    ...single,
    ...refs,
    ...selectors,
    ...ofPods(spec, home),
    ...ofIstio(spec, group, home),
    ...ofCilium(spec, group, home),
  ];
}

function listed(spec: Mapping, field: string) {
  const { [field]: list } = spec;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, at) => (isMapping(item) ? [{ steps: [field, at] as const, item }] : []));
}

/** Without a group, the group of the kind is meant; `core` is another name of the core group. */
function isOfGroup(group: unknown, target: Target): boolean {
  if (group === undefined || group === null) return true;
  return group === (target.kind === "Service" ? "" : gatewayGroup) || (group === "core" && target.kind === "Service");
}

function byName(reference: Mapping, home: string) {
  const { group, kind, name, namespace = home } = reference;
  return (target: Target) =>
    isOfGroup(group, target) && target.kind === kind && target.namespace === namespace && target.name === name;
}

function byLabels(selector: Mapping, home: string) {
  const { group, kind } = selector;
  return (target: Target) =>
    isOfGroup(group, target) &&
    target.kind === kind &&
    target.namespace === home &&
    selects(selector as LabelSelector, target.labels);
}

/** Labels with which a controller marks the Pods of a Gateway; policies of Istio select them. */
const labelsOfPods = ["gateway.networking.k8s.io/gateway-name", "istio.io/gateway-name"];

function ofPods({ selector }: Mapping, home: string): readonly WrittenReference[] {
  const labels = isMapping(selector) && isMapping(selector.matchLabels) ? selector.matchLabels : {};
  return labelsOfPods.flatMap((label): WrittenReference[] => {
    const { [label]: name } = labels;
    if (typeof name !== "string") return [];
    const isFor = (target: Target) => target.kind === "Gateway" && target.namespace === home && target.name === name;
    return [{ steps: ["selector"], isFor }];
  });
}

/** A DestinationRule names the Service by its host, in a short form or with its namespace. */
function ofIstio({ host }: Mapping, group: string, home: string): readonly WrittenReference[] {
  if (group !== "networking.istio.io" || typeof host !== "string") return [];
  const [name, namespace = home] = host.split(".", 3);
  const isFor = (target: Target) => target.kind === "Service" && target.namespace === namespace && target.name === name;
  return [{ steps: ["host"], isFor, isMesh: true }];
}

/** A CiliumEnvoyConfig takes the traffic of Services. */
function ofCilium(spec: Mapping, group: string, home: string): readonly WrittenReference[] {
  if (group !== "cilium.io") return [];
  return ["services", "backendServices"].flatMap((field) =>
    listed(spec, field).map(({ steps, item: { name, namespace = home } }) => ({
      steps,
      isMesh: true as const,
      isFor: (target: Target) => target.kind === "Service" && target.namespace === namespace && target.name === name,
    })),
  );
}
