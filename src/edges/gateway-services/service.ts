/**
 * The Service of a Gateway as the API server gets it, and the patch for an existing one. Fields
 * without a parameter are left to the API server and its users, with two exceptions: a selector
 * would lead elsewhere, and externalIPs would take traffic that is not the Gateway's
 * (CVE-2020-8554).
 */
import { isDeepStrictEqual } from "node:util";
import type { Gateway } from "../../core/model/gateway/objects.ts";
import {
  copiedAnnotation,
  type DesiredService,
  portKey,
  type ServiceParameters,
  serviceKeyOf,
} from "../../core/model/gateway/services.ts";
import { nameOf, type Service, type ServicePort } from "../../core/model/objects.ts";
import { services } from "../resources.ts";

export type Targets = Readonly<Record<string, number>>;

export function newService(gateway: Gateway, wanted: DesiredService, targets: Targets): Service {
  const { uid = "", name } = gateway.metadata;
  const { labels, annotations, parameters } = wanted;
  const owner = { apiVersion: gateway.apiVersion, kind: gateway.kind, name, uid, controller: true };
  return {
    apiVersion: services.apiVersion,
    kind: "Service",
    metadata: { ...nameOf(serviceKeyOf(gateway, wanted)), labels, annotations, ownerReferences: [owner] },
    spec: withoutNull({ ...(parameters && fieldsOf(parameters)), ports: portsOf(wanted, targets, undefined) }),
  };
}

/** Returns the body of a merge patch; undefined if the Service is correct. */
export function serviceChanges(present: Service, wanted: DesiredService, targets: Targets): object | undefined {
  const { labels = {}, annotations = {}, resourceVersion } = present.metadata;
  const metadata = {
    ...changed("labels", labels, wanted.labels, copiedKeys(annotations, 0)),
    ...changed("annotations", annotations, wanted.annotations, copiedKeys(annotations, 1)),
  };
  const spec = specChanges(present, wanted, targets);
  if (Object.keys(metadata).length + Object.keys(spec).length === 0) return undefined;
  return { metadata: { ...metadata, resourceVersion }, ...(Object.keys(spec).length === 0 ? {} : { spec }) };
}

function specChanges(present: Service, wanted: DesiredService, targets: Targets): object {
  const spec: Readonly<Record<string, unknown>> = present.spec ?? {};
  const fields = {
    ...(wanted.parameters && fieldsOf(wanted.parameters)),
    selector: null,
    externalIPs: null,
    ports: portsOf(wanted, targets, present),
  };
  const differs = ([field, value]: [string, unknown]) => {
    const now = field === "ports" ? present.spec?.ports?.map(portFields) : spec[field];
    const then = field === "ports" ? (value as readonly ServicePort[]).map(portFields) : value;
    return !isDeepStrictEqual(now ?? null, then) && !(then === null && isEmpty(now));
  };
  return Object.fromEntries(Object.entries(fields).filter(differs));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Returns fields for a patch. `null` removes a field, and a field that is left out stays. */
function fieldsOf(parameters: ServiceParameters): Readonly<Record<string, unknown>> {
  const { type, loadBalancerClass, allocateLoadBalancerNodePorts, ipFamilyPolicy, ipFamilies } = parameters;
  const isBalanced = type === "LoadBalancer";
  const given = {
    ipFamilyPolicy,
    ipFamilies,
    ...(isBalanced ? { loadBalancerClass, allocateLoadBalancerNodePorts } : {}),
  };
  return {
    type,
    externalTrafficPolicy: type === "ClusterIP" ? null : (parameters.externalTrafficPolicy ?? "Cluster"),
    internalTrafficPolicy: parameters.internalTrafficPolicy ?? "Cluster",
    loadBalancerSourceRanges: isBalanced ? (parameters.loadBalancerSourceRanges ?? null) : null,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

/**
 * Returns the ports of the Service. Those without a target port are left out for now, and node
 * ports stay.
 */
function portsOf(wanted: DesiredService, targets: Targets, present: Service | undefined): readonly ServicePort[] {
  return wanted.ports.flatMap(({ name, port, protocol }) => {
    const targetPort = targets[portKey({ port, protocol })];
    if (targetPort === undefined) return [];
    const before = present?.spec?.ports?.find((one) => one.port === port && (one.protocol ?? "TCP") === protocol);
    const nodePort = before?.nodePort === undefined ? {} : { nodePort: before.nodePort };
    return [{ name, port, protocol, targetPort, ...nodePort }];
  });
}

const portFields = ({ name, port, protocol = "TCP", targetPort }: ServicePort) => [name, port, protocol, targetPort];

/** Returns the keys that were copied from the Gateway before; an annotation lists them. */
function copiedKeys(annotations: Readonly<Record<string, string>>, part: 0 | 1): readonly string[] {
  const list = (annotations[copiedAnnotation] ?? "").split(";")[part] ?? "";
  return list === "" ? [] : list.split(",");
}

function changed(
  part: "labels" | "annotations",
  present: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
  copied: readonly string[],
): object {
  const gone = copied.filter((key) => key in present && !(key in wanted)).map((key) => [key, null] as const);
  const other = Object.entries(wanted).filter(([key, value]) => present[key] !== value);
  const all = [...gone, ...other];
  return all.length === 0 ? {} : { [part]: Object.fromEntries(all) };
}

function withoutNull(spec: Readonly<Record<string, unknown>>): NonNullable<Service["spec"]> {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null));
}
