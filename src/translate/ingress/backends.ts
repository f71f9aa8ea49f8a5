/** Which Service and port the backend of a path names. Whether they exist is for the caller to ask and to tell. */
import type { IngressBackend } from "../../model/objects.ts";

export interface NamedBackend {
  /** Identity of its Upstream: `namespace/service/port` (RS-3.7). */
  readonly upstream: string;
  /** `namespace/name` of the Service. */
  readonly key: string;
  /** Name of the Service. */
  readonly service: string;
  /** Number or name, as the Ingress has it. */
  readonly port: string;
}

export type BackendAnswer =
  | { readonly ok: true; readonly backend: NamedBackend }
  | { readonly ok: false; readonly why: string };

export function backendOf({ service, resource }: IngressBackend, namespace: string): BackendAnswer {
  if (service === undefined) {
    return { ok: false, why: resource === undefined ? "names no Service" : `names a ${resource.kind}, not a Service` };
  }
  const { name, port: reference } = service;
  const port = (reference?.name ?? "") === "" ? String(reference?.number ?? 0) : reference!.name!;
  const key = `${namespace}/${name}`;
  return { ok: true, backend: { upstream: `${key}/${port}`, key, service: name, port } };
}
