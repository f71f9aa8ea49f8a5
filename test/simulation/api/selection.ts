/** Selects objects by namespace, fields and labels, as far as Sluice's lists and watches do. */
import type { KubernetesObject } from "../../../src/core/model/objects.ts";

export interface Selection {
  readonly namespace?: unknown;
  readonly labelSelector?: unknown;
  readonly fieldSelector?: unknown;
}

export function isSelected(object: KubernetesObject, { namespace, labelSelector, fieldSelector }: Selection): boolean {
  const { metadata } = object;
  const field = (name: string) => (name === "type" ? (object as { readonly type?: string }).type : metadata.name) ?? "";
  return (
    (namespace === undefined || metadata.namespace === namespace) &&
    satisfies(labelSelector, (label) => metadata.labels?.[label] ?? "") &&
    satisfies(fieldSelector, field)
  );
}

/** Whether all requirements `a=b` and `a!=b`, joined by commas, are met. */
function satisfies(selector: unknown, read: (name: string) => string): boolean {
  return String(selector ?? "")
    .split(",")
    .every((requirement) => {
      const [, name = "", not, value] = /^([^!=]+)(!?)=(.*)$/.exec(requirement) ?? [];
      return value === undefined || (read(name) === value) === (not === "");
    });
}
