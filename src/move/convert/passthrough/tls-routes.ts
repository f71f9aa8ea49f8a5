/** Writes a TLSRoute for each host whose TLS passes through. */
import { gatewayGroup, type ParentReference } from "../../../core/model/gateway/objects.ts";
import { hostSlug, type Names } from "../names.ts";
import type { Written } from "../written.ts";
import type { Passed } from "./passed.ts";

export interface PassedRoute extends Passed {
  readonly host: string;
  /** The number of hosts that the Ingress has. */
  readonly hosts: number;
  readonly parent: ParentReference;
}

export function tlsRouteOf({ host, hosts, parent, ...passed }: PassedRoute, names: Names): Written {
  const { namespace, ingress, service, port } = passed;
  const wished = hosts === 1 ? ingress : `${ingress}-${hostSlug(host)}`;
  return {
    object: {
      apiVersion: `${gatewayGroup}/v1`,
      kind: "TLSRoute",
      metadata: { name: names.nameFor(`TLSRoute ${namespace}`, wished, host), namespace },
      spec: { parentRefs: [parent], hostnames: [host], rules: [{ backendRefs: [{ name: service, port }] }] },
    },
    comments: [{ at: [], text: `TLS of ${host}, from Ingress ${namespace}/${ingress}, annotation ssl-passthrough` }],
  };
}
