/**
 * A small cluster in memory for a Subject: Services with their endpoints, and Ingresses in front of
 * them.
 */
import type { Ingress, KubernetesObject } from "../../../src/core/model/objects.ts";
import { backedService, ingress as sketched } from "../../support/sketch.ts";

/** Makes a Service and its EndpointSlice; `port` is the port of its endpoints. */
export const service = (name: string, addresses: readonly string[], port = 8080): readonly KubernetesObject[] =>
  backedService({ name, addresses, port });

/** Makes an Ingress that sends `/` of one host to port 80 of a Service. */
export const ingress = (name: string, host: string, to: string, annotations: Record<string, string> = {}): Ingress =>
  sketched({ name, host, paths: [["/", to]], annotations });

/** Makes the controller's own ConfigMap, which `startSubject` names. */
export function settings(data: Readonly<Record<string, string>>): KubernetesObject {
  const metadata = { name: "ingress-nginx-controller", namespace: "ingress-nginx" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data } as KubernetesObject;
}
