/**
 * Decides precedence between objects of the Gateway API: the older one wins, then the first by
 * `namespace/name`.
 */
import type { KubernetesObject } from "../../model/objects.ts";

export function byCreation({ metadata: one }: KubernetesObject, { metadata: other }: KubernetesObject): number {
  const [a = "", b = ""] = [one.creationTimestamp, other.creationTimestamp];
  if (a !== b) return a < b ? -1 : 1;
  return compared(`${one.namespace ?? "default"}/${one.name}`, `${other.namespace ?? "default"}/${other.name}`);
}

export function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
