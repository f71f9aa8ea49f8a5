/**
 * Which port of which Service a backend of an Ingress names. Whether they exist is for others to
 * ask.
 */
import type { IngressBackend } from "../../model/objects.ts";
import type { ClaimedBackend } from "../claim.ts";

/** `part` is where it stands. */
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
