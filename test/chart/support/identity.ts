/**
 * The identity of an object, which an upgrade in place must keep: its kind, namespace and name, and
 * fields that Kubernetes does not allow to change or by which others find it. One line for each
 * object, so that two charts are compared as lists.
 */
import type { Manifest } from "./helm.ts";

export function identityOf(object: Manifest): string {
  const { kind, metadata } = object;
  const fixed = fixedOf(object);
  return [kind, metadata.namespace ?? "", metadata.name, ...(fixed === undefined ? [] : [JSON.stringify(fixed)])].join(
    " ",
  );
}

function fixedOf({ kind, spec = {}, roleRef }: Manifest): unknown {
  switch (kind) {
    case "Deployment":
    case "DaemonSet":
    case "PodDisruptionBudget":
    case "ServiceMonitor":
      return sorted(spec.selector.matchLabels);
    case "Service":
      return [sorted(spec.selector), spec.ports.map(({ name }: Manifest) => name).toSorted()];
    case "NetworkPolicy":
      return sorted(spec.podSelector.matchLabels);
    case "RoleBinding":
    case "ClusterRoleBinding":
      return sorted(roleRef);
    case "IngressClass":
      return spec.controller;
    default:
      return undefined;
  }
}

const sorted = (map: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
