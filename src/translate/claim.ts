/**
 * What one accepted Ingress says about hosts. A Claim is the unit of remembering: it is made again only when its Ingress,
 * the Settings or an object its annotations look at has changed.
 */

import type { Reading } from "../annotations/reading.ts";
import type { FeatureValues } from "../annotations/registry.ts";
import { catchAll } from "../model/configuration.ts";
import { type HTTPIngressPath, type Ingress, keyOf } from "../model/objects.ts";
import type { ObjectName } from "../problem.ts";

export interface Claim {
  readonly key: string;
  readonly object: ObjectName & { readonly namespace: string };
  readonly ingress: Ingress;
  readonly values: FeatureValues;
  readonly denied: boolean;
  readonly references: readonly string[];
  /** By host, `_` for rules without one; each with the place it stands in, for Problems. */
  readonly hosts: ReadonlyMap<string, readonly ClaimedPath[]>;
}

export interface ClaimedPath {
  readonly field: string;
  readonly path: HTTPIngressPath;
}

export function claimOf(ingress: Ingress, reading: Reading, denied: boolean): Claim {
  const { name, namespace = "default" } = ingress.metadata;
  return {
    key: keyOf(ingress),
    object: { kind: "Ingress", namespace, name },
    ingress,
    values: reading.values,
    denied: denied || reading.verdict === "deny",
    references: reading.references,
    hosts: hostsOf(ingress, reading.values.canary !== undefined),
  };
}

/** An Ingress with nothing but a default backend speaks for the catch-all (RS-4.7), a canary with one always (RS-13.3). */
function hostsOf({ spec }: Ingress, isCanary: boolean): Map<string, ClaimedPath[]> {
  const hosts = new Map<string, ClaimedPath[]>();
  spec?.rules?.forEach((rule, r) => {
    const host = (rule.host ?? "") === "" ? catchAll : rule.host!.toLowerCase();
    const paths = hosts.get(host) ?? [];
    hosts.set(host, paths);
    for (const [p, path] of (rule.http?.paths ?? []).entries())
      paths.push({ field: `spec.rules[${r}].http.paths[${p}]`, path });
  });
  const backing = spec?.defaultBackend !== undefined && (isCanary || hosts.size === 0);
  if (backing && !hosts.has(catchAll)) hosts.set(catchAll, []);
  return hosts;
}

/** Whether nothing but its default backend is said: then it is the `/` of the catch-all, whatever else claims that. */
export function isCatchAllBackend({ spec }: Ingress): boolean {
  return spec?.defaultBackend !== undefined && (spec.rules ?? []).length === 0;
}
