/** Decides precedence between objects: the older one wins. */
import type { KubernetesObject } from "../model/objects.ts";

export interface Age {
  /** `metadata.creationTimestamp`; empty if the object has none, as in a folder of files. */
  readonly created: string;
  readonly namespace: string;
  readonly name: string;
}

export function ageOf({ metadata }: KubernetesObject): Age {
  const { creationTimestamp = "", namespace = "default", name } = metadata;
  return { created: creationTimestamp, namespace, name };
}

/** Orders the oldest first, and equal timestamps by `namespace/name`, descending (RS-3.1). */
export function byAge(a: Age, b: Age): number {
  if (a.created !== b.created) return a.created < b.created ? -1 : 1;
  const [one, other] = [`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`];
  return one === other ? 0 : one > other ? -1 : 1;
}
