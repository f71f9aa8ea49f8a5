/**
 * Computes the Ingress that an annotated Service should have, and the owner of an existing Ingress.
 * One trap: an owner reference alone does not make an Ingress ours, because other programs create
 * Ingresses for Services as well. Only an Ingress with our label may be changed or deleted.
 */
import { isDeepStrictEqual } from "node:util";
import {
  classAnnotation,
  classOf,
  type Ingress,
  type IngressClass,
  type Service,
  type ServicePort,
} from "../../core/model/objects.ts";
import type { Table } from "../../core/model/table.ts";
import { isOurClass } from "../../core/sources/ingress/accept.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { ingresses, services } from "../resources.ts";

const requestAnnotation = "ingress/http";
const markLabel = "app.kubernetes.io/managed-by";
const mark = "sluice-service-ingress";

/**
 * The way in which an Ingress names its class: by the field, or by the older annotation if
 * classes cannot be read.
 */
export type ClassName = { readonly field: string } | { readonly annotation: string };

export const asksForIngress = ({ metadata }: Service): boolean =>
  metadata.annotations?.[requestAnnotation] === "true" && metadata.deletionTimestamp === undefined;

/** Whether this feature made the Ingress, for any Service. */
export const isMarked = ({ metadata }: Ingress): boolean => metadata.labels?.[markLabel] === mark;

/**
 * Whether this feature made the Ingress for this Service, and not for a deleted one of the same
 * name.
 */
export function isOurs(ingress: Ingress, { metadata }: Service): boolean {
  const owners = ingress.metadata.ownerReferences ?? [];
  return isMarked(ingress) && owners.some(({ controller, uid }) => controller === true && uid === metadata.uid);
}

/** Returns the host of a Service. Two may have the same one, even with both names in it. */
export function hostFor({ metadata }: Service, hostPattern: string): string {
  const { name, namespace = "default" } = metadata;
  return hostPattern.replaceAll(/\{(service|namespace)\}/g, (_, word) => (word === "service" ? name : namespace));
}

/**
 * Returns an Ingress with one host and one path that leads to the Service; undefined while the
 * Service has no port.
 */
export function ingressFor(service: Service, hostPattern: string, className: ClassName): Ingress | undefined {
  const { name, namespace = "default", uid = "" } = service.metadata;
  const port = portOf(service.spec?.ports ?? []);
  if (port === undefined) return undefined;
  const owner = { apiVersion: services.apiVersion, kind: services.kind, name, uid, controller: true };
  const host = hostFor(service, hostPattern);
  const backend = { service: { name, port: { number: port.port } } };
  return {
    apiVersion: ingresses.apiVersion,
    kind: "Ingress",
    metadata: {
      namespace,
      name,
      labels: { [markLabel]: mark },
      ownerReferences: [owner],
      ...("annotation" in className ? { annotations: { [classAnnotation]: className.annotation } } : {}),
    },
    spec: {
      ...("field" in className ? { ingressClassName: className.field } : {}),
      rules: [{ host, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    },
  };
}

/** Whether `there` has all fields of `wanted`. Users may add annotations and TLS. */
export function leadsTheSameWay(there: Ingress, wanted: Ingress): boolean {
  const routing = (ingress: Ingress) => [ingress.spec?.rules, classOf(ingress)];
  return isDeepStrictEqual(routing(there), routing(wanted));
}

/**
 * Returns the class that this controller serves: the one in `--ingress-class`, or else the first
 * that names its controller.
 */
export function ownClass(classes: Table<IngressClass> | undefined, accept: TranslateOptions): ClassName {
  if (classes === undefined) return { annotation: accept.ingressClass };
  const ours = [...classes.values()].filter((one) => isOurClass(one, accept)).map(({ metadata }) => metadata.name);
  const field = ours.includes(accept.ingressClass) ? accept.ingressClass : ours.toSorted()[0];
  return { field: field ?? accept.ingressClass };
}

/** Returns the port called `http`, or 80, or the first one with TCP. */
function portOf(ports: readonly ServicePort[]): ServicePort | undefined {
  const usable = ports.filter(({ protocol = "TCP" }) => protocol === "TCP");
  return usable.find(({ name }) => name === "http") ?? usable.find(({ port }) => port === 80) ?? usable[0];
}
