/**
 * The lists and watches that follow from the flags: each kind in all namespaces, or in the one that
 * `--watch-namespace` names. Objects that flags name, such as the controller's own ConfigMap, may
 * be in other namespaces. These objects are watched as well.
 */

import type { KubernetesObject } from "../../core/model/objects.ts";
import type { Resource } from "../../kube/index.ts";
import { configMaps, endpointSlices, ingressClasses, ingresses, namespaces, secrets, services } from "../resources.ts";

export interface WatchOptions {
  /** If it is undefined, all namespaces are watched. */
  readonly watchNamespace: string | undefined;
  /** Only objects in namespaces with these labels count. It excludes `watchNamespace`. */
  readonly watchNamespaceSelector: string | undefined;
  /** Whether labels of Namespaces say which hosts they may use. */
  readonly namespaceLabels?: boolean;
  /** Objects that flags name, as `namespace/name`. They are watched in any namespace. */
  readonly named: {
    /** The ConfigMap with the settings, whose references are followed. */
    readonly settings: string | undefined;
    readonly configMaps: readonly string[];
    readonly secrets: readonly string[];
    readonly services: readonly string[];
  };
}

export interface Watch {
  readonly of: Resource<KubernetesObject>;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * The effect of its absence, for the log. It is undefined if nothing can be served without the
   * kind.
   */
  readonly without?: string;
  /**
   * A kind that most clusters lack, or that an older role does not permit: its absence causes no
   * warning.
   */
  readonly optional?: true;
}

/** Helm keeps megabytes of releases in Secrets, and used ConfigMaps before (RS-1.10). */
const filters: Readonly<Record<string, Pick<Watch, "fieldSelector" | "labelSelector">>> = {
  Secret: { fieldSelector: "type!=helm.sh/release.v1" },
  ConfigMap: { labelSelector: "OWNER!=TILLER" },
};

export function watchesOf(options: WatchOptions): readonly Watch[] {
  const { watchNamespace: namespace } = options;
  const kinds: readonly Resource<KubernetesObject>[] = [ingresses, services, endpointSlices, secrets, configMaps];
  const watched = kinds.map((kind) => ({
    of: kind,
    namespace,
    ...filters[kind.kind],
  }));
  const classes: Watch = { of: ingressClasses, without: "spec.ingressClassName is not consulted" };
  return [
    ...watched,
    classes,
    ...namespacesOf(options),
    ...(namespace === undefined ? [] : beside(options, namespace)),
  ];
}

/** Returns the watches of the selected namespaces, or of all if their labels are read. */
function namespacesOf({ watchNamespaceSelector: labelSelector, namespaceLabels }: WatchOptions): readonly Watch[] {
  if (labelSelector !== undefined) return [{ of: namespaces, labelSelector }];
  return namespaceLabels ? [{ of: namespaces, without: "the host policy of their labels gives no host" }] : [];
}

function beside({ named }: WatchOptions, watched: string): readonly Watch[] {
  const { settings } = named;
  const elsewhere = (keys: readonly (string | undefined)[]) => {
    const all = keys.flatMap((key) => (key === undefined ? [] : [key.split("/")[0] ?? ""]));
    return [...new Set(all)].filter((namespace) => namespace !== watched);
  };
  const ofKind = (kind: Resource<KubernetesObject>, keys: readonly (string | undefined)[], without: string): Watch[] =>
    elsewhere(keys).map((namespace) => ({ of: kind, namespace, ...filters[kind.kind], without }));
  return [
    ...ofKind(configMaps, [settings, ...named.configMaps], "the settings there keep their defaults"),
    // Settings name Secrets in their own namespace, and headers in other ConfigMaps.
    ...ofKind(secrets, [settings, ...named.secrets], "the certificates there are not used"),
    ...ofKind(services, named.services, "the default backend there is not used"),
    ...ofKind(endpointSlices, named.services, "the default backend there is not used"),
  ];
}
