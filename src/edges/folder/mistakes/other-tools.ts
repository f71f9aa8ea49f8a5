/** Recognises files of tools that make Kubernetes objects and are none themselves. */
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";

const ofPlays = [
  ..."tasks roles pre_tasks import_playbook import_tasks include_tasks import_role include_role".split(" "),
  ..."register become set_fact shell command copy template".split(" "),
];
const modules = ["kubernetes.core.", "community.kubernetes.", "community.general.", "ansible.builtin."];

export const ofAnsible =
  "this is a playbook of Ansible, which is not read: give the files that it applies, or look at the cluster that it writes";

/** Completes a sentence about plays or tasks of Ansible; undefined for any other value. */
export function playbook(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(isMapping)) return undefined;
  const isOfAnsible = (key: string) => ofPlays.includes(key) || modules.some((module) => key.startsWith(module));
  if (!value.some((one) => Object.keys(one).some(isOfAnsible))) return undefined;
  return ofAnsible;
}

/** Completes a sentence about a chart, a helmfile or a fleet.yaml; undefined for other values. */
export function renderedFirst(value: Mapping): string | undefined {
  if (isHelmfile(value))
    return "this is a helmfile and not a Kubernetes object; helmfile template renders its releases";
  const { apiVersion, name, version, kind, helm } = value;
  if (kind === undefined && isMapping(helm) && typeof helm.chart === "string")
    return "this is for Rancher's Fleet and not a Kubernetes object";
  if (kind !== undefined || !/^v[12]$/.test(String(apiVersion)) || typeof name !== "string" || version === undefined)
    return undefined;
  return "this describes a Helm chart and is not a Kubernetes object; helm template renders the chart";
}

export const isHelmfile = ({ releases }: Mapping): boolean =>
  Array.isArray(releases) && releases.some((one) => isMapping(one) && typeof one.chart === "string");
