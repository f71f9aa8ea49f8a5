/**
 * The releases of a fleet.yaml, which Rancher's Fleet installs. A target customization adds values
 * of its own for some clusters, so it is one more release.
 */
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import { at } from "../value-at.ts";
import { chartOf } from "../vendors.ts";
import type { Part, Release } from "./release.ts";

/** Whether it is a fleet.yaml with a chart of a repository. A fleet.yaml has no kind. */
export const isFleet = ({ kind, helm }: Mapping): boolean =>
  kind === undefined && isMapping(helm) && typeof helm.chart === "string";

export function fleetReleases(value: Mapping): readonly Release[] {
  const { helm, targetCustomizations, namespace, defaultNamespace } = value;
  const chart = chartOf(text(at(helm, "chart")), text(at(helm, "repo")));
  if (chart === undefined) return [];
  const name = text(at(helm, "releaseName")) || "ingress-nginx";
  const home = { namespace: text(namespace) || text(defaultNamespace) || "default", name, chart };
  const common = partsOf(helm, ["helm"]);
  const targets = list(targetCustomizations).flatMap((target, number) => {
    const own = partsOf(at(target, "helm"), ["targetCustomizations", number, "helm"]);
    const of = `Fleet's release ${name} for ${text(at(target, "name")) || "a target"}`;
    return own.length === 0 ? [] : [{ ...home, of, parts: [...common, ...own] }];
  });
  return [{ ...home, of: `Fleet's release ${name}`, parts: common }, ...targets];
}

function partsOf(helm: unknown, above: readonly (string | number)[]): readonly Part[] {
  const files = list(at(helm, "valuesFiles")).map((file, number): Part => {
    const why = `its values file ${text(file)} is not read: name it with --values`;
    return { kind: "file", path: [...above, "valuesFiles", number], from: "object", name: text(file), why };
  });
  const inline: Part[] = isMapping(at(helm, "values")) ? [{ kind: "inline", path: [...above, "values"] }] : [];
  const others = list(at(helm, "valuesFrom")).map((one, number): Part => {
    const kind = isMapping(at(one, "secretKeyRef")) ? "Secret" : "ConfigMap";
    const why = `its values in ${kind} ${text(at(one, kind === "Secret" ? "secretKeyRef" : "configMapKeyRef", "name"))} are not read`;
    return { kind: "elsewhere", path: [...above, "valuesFrom", number], why };
  });
  return [...files, ...inline, ...others];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
