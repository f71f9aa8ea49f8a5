/** Decides from which namespaces a Gateway or a listener accepts objects. */
import type { LabelSelector, RouteNamespaces } from "../../model/gateway/objects.ts";
import type { Namespace } from "../../model/objects.ts";
import { own } from "../../model/own.ts";

/**
 * Whether the namespace is accepted. `home` is the namespace for `Same`, and `otherwise` is the
 * default for `from`.
 */
export function isSelected(
  { from, selector }: RouteNamespaces,
  otherwise: "Same" | "None",
  namespace: string,
  home: string,
  find: (name: string) => Namespace | undefined,
): boolean {
  switch (from ?? otherwise) {
    case "All":
      return true;
    case "Same":
      return namespace === home;
    case "Selector":
      return selector !== undefined && selects(selector, labelsOf(namespace, find(namespace)));
    default:
      return false;
  }
}

/**
 * Returns the labels of a namespace. The API server gives each the label with its name; a folder of
 * files may have no object for it.
 */
function labelsOf(name: string, namespace: Namespace | undefined): Readonly<Record<string, string>> {
  return { "kubernetes.io/metadata.name": name, ...namespace?.metadata.labels };
}

/** Whether the labels fit the selector; an empty one fits all. */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
) {
  return (
    Object.entries(matchLabels).every(([key, value]) => own(labels, key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = own(labels, key);
      if (operator === "In") return value !== undefined && values.includes(value);
      if (operator === "NotIn") return value === undefined || !values.includes(value);
      if (operator === "Exists") return value !== undefined;
      return operator === "DoesNotExist" && value === undefined;
    })
  );
}
