/** ConfigMaps that GatewayClasses and Gateways refer to as their parameters. */
import type { ParametersReference } from "../../model/gateway/objects.ts";
import type { ConfigMap } from "../../model/objects.ts";
import type { ObjectName, Problem } from "../../problem.ts";

/** What a Service of a Gateway's own is made by. Which values are good is for the API server to say. */
const known = ["serviceType", "externalTrafficPolicy", "internalTrafficPolicy", "loadBalancerClass", "ipFamilyPolicy"];

export interface ParametersQuestion {
  readonly reference: ParametersReference & { readonly namespace?: string };
  readonly field: string;
  readonly object: ObjectName;
  /** What the problem makes of the object. */
  readonly done: string;
  configMap(key: string): ConfigMap | undefined;
}

/** Why the parameters cannot be used; undefined where they can. */
export function parametersProblem(question: ParametersQuestion): Problem | undefined {
  const why = mistakeIn(question);
  const { object, field, done } = question;
  return why === undefined ? undefined : { object, kind: "field-unusable", field, why, done };
}

function mistakeIn({ reference, configMap }: ParametersQuestion): string | undefined {
  const { group, kind, name, namespace } = reference;
  if (group !== "" || kind !== "ConfigMap") return `names a ${group === "" ? "" : `${group} `}${kind}, not a ConfigMap`;
  if (namespace === undefined) return "names no namespace";
  const found = configMap(`${namespace}/${name}`);
  if (found === undefined) return `ConfigMap ${namespace}/${name} not found`;
  const strange = Object.keys(found.data ?? {}).filter((key) => !known.includes(key));
  if (strange.length === 0) return undefined;
  const keys = strange.length === 1 ? "the key" : "the keys";
  return `ConfigMap ${namespace}/${name} has ${keys} ${strange.join(", ")}, and only ${known.join(", ")} are known`;
}
