/**
 * Finds the Service and port that a backend of an Ingress names. Other code checks that they exist.
 */
import type { IngressBackend } from "../../model/objects.ts";
import type { ClaimedBackend } from "../../table/claim.ts";

/** Returns the backend. `part` is the backend's field in the Ingress. */
export function backendOf({ service, resource }: IngressBackend, namespace: string, part: string): ClaimedBackend {
  if (service === undefined) {
    const mistake = resource === undefined ? "names no Service" : `names a ${resource.kind}, not a Service`;
    return { part, mistake, upstream: "", key: "", service: "", port: "", weight: 1 };
  }
  const { name, port: reference } = service;
  const port = (reference?.name ?? "") === "" ? String(reference?.number ?? 0) : reference!.name!;
  const key = `${namespace}/${name}`;
  return { part, upstream: `${key}/${port}`, key, service: name, port, weight: 1 };
}
