/**
 * Reads the ConfigMaps to which GatewayClasses and Gateways refer as their parameters. The Service
 * of a Gateway is made from these. Every value is read here, so that a mistake becomes a condition
 * of the Gateway and its Service stays as it is.
 */
import { rangeList } from "../../kinds/addresses.ts";
import { shown } from "../../kinds/kind.ts";
import type { Gateway, ParametersReference } from "../../model/gateway/objects.ts";
import type { ServiceParameters } from "../../model/gateway/services.ts";
import { missing, wrongKind } from "../../model/missing.ts";
import type { ConfigMap } from "../../model/objects.ts";
import type { Mistake, ObjectName, Problem } from "../../model/problem.ts";

export type PartialParameters = Partial<ServiceParameters>;

type Reading = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

const oneOf =
  (...words: readonly string[]) =>
  (text: string): Reading =>
    words.includes(text)
      ? { ok: true, value: text }
      : { ok: false, why: `${shown(text)} is none of ${words.join(", ")}` };

const className =
  /^[a-z\d]([a-z\d.-]*[a-z\d])?\/[a-zA-Z\d]([\w.-]{0,61}[a-zA-Z\d])?$|^[a-zA-Z\d]([\w.-]{0,61}[a-zA-Z\d])?$/;

/** Functions that read the values, by key of the ConfigMap. */
const known: Readonly<
  Record<string, { readonly field: keyof ServiceParameters; readonly read: (text: string) => Reading }>
> = {
  serviceType: { field: "type", read: oneOf("LoadBalancer", "NodePort", "ClusterIP") },
  externalTrafficPolicy: { field: "externalTrafficPolicy", read: oneOf("Cluster", "Local") },
  internalTrafficPolicy: { field: "internalTrafficPolicy", read: oneOf("Cluster", "Local") },
  loadBalancerClass: {
    field: "loadBalancerClass",
    read: (text) =>
      className.test(text) && text.length <= 316
        ? { ok: true, value: text }
        : { ok: false, why: `${shown(text)} is not a class like example.com/internal` },
  },
  loadBalancerSourceRanges: { field: "loadBalancerSourceRanges", read: readRanges },
  allocateLoadBalancerNodePorts: {
    field: "allocateLoadBalancerNodePorts",
    read: (text) => {
      const read = oneOf("true", "false")(text);
      return read.ok ? { ok: true, value: text === "true" } : read;
    },
  },
  ipFamilyPolicy: { field: "ipFamilyPolicy", read: oneOf("SingleStack", "PreferDualStack", "RequireDualStack") },
  ipFamilies: { field: "ipFamilies", read: readFamilies },
};

/** Reads ranges of addresses. Each has the length of its prefix, as Services require. */
function readRanges(text: string): Reading {
  const read = rangeList.read(text);
  if (!read.ok) return read;
  return {
    ok: true,
    value: read.value.map((one) => (one.includes("/") ? one : `${one}/${one.includes(":") ? 128 : 32}`)),
  };
}

function readFamilies(text: string): Reading {
  const families = text.split(",").map((one) => one.trim());
  const isGood =
    families.every((one) => one === "IPv4" || one === "IPv6") && new Set(families).size === families.length;
  return isGood
    ? { ok: true, value: families }
    : { ok: false, why: `${shown(text)} is not IPv4, IPv6, or both with a comma` };
}

export interface ParametersQuestion {
  readonly reference: ParametersReference & { readonly namespace?: string };
  readonly field: string;
  readonly object: ObjectName;
  /** The consequence of the problem for the object. */
  readonly done: string;
  configMap(key: string): ConfigMap | undefined;
}

export type ParametersReading =
  | { readonly values: PartialParameters; readonly problem?: undefined }
  /** The reason why they cannot be used. */
  | { readonly values?: undefined; readonly problem: Problem };

export function readParameters(question: ParametersQuestion): ParametersReading {
  const { reference, object, field, done, configMap } = question;
  const { group, kind, name, namespace } = reference;
  const wrong = (mistake: Mistake): ParametersReading => ({ problem: { object, field, ...mistake, done } });
  const unusable = (why: string) => wrong({ kind: "reference-unusable", why });
  if (group !== "" || kind !== "ConfigMap") return wrong(wrongKind({ group, kind }, "ConfigMap"));
  if (namespace === undefined) return unusable("names no namespace");
  const found = configMap(`${namespace}/${name}`);
  if (found === undefined) return wrong(missing("ConfigMap", `${namespace}/${name}`));
  const read = valuesIn(found.data ?? {});
  return typeof read === "string" ? unusable(`ConfigMap ${namespace}/${name} has ${read}`) : { values: read };
}

/** The most unknown keys that a message names. */
const mostNamed = 5;

/** The longest value in characters. A long list of ranges is much shorter. */
const longestValue = 65_536;

/** Returns the values, or the mistake in them. */
function valuesIn(data: Readonly<Record<string, string>>): PartialParameters | string {
  const strange = Object.keys(data).filter((key) => !Object.hasOwn(known, key));
  if (strange.length > 0) {
    const keys = strange.length === 1 ? "the key" : "the keys";
    const named = strange.slice(0, mostNamed);
    const more = strange.length > mostNamed ? `, ${strange.length - mostNamed} more` : "";
    return `${keys} ${named.join(", ")}${more}, and only ${Object.keys(known).join(", ")} are known`;
  }
  const values: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(data)) {
    const { field, read } = known[key]!;
    if (text.length > longestValue)
      return `a value of ${key} with ${text.length} characters, and ${longestValue} are the most`;
    const value = read(text.trim());
    if (!value.ok) return `a value of ${key} that cannot be used: ${value.why}`;
    values[field] = value.value;
  }
  return values as PartialParameters;
}

/** The consequence where Gateways have no Services, whose settings are all that parameters have. */
export const withoutServices = "it has no effect, and Gateways are served without it";

/** Reads the parameters of a Gateway, in its own namespace; undefined if it refers to none. */
export function infrastructureParameters(
  { metadata, spec }: Gateway,
  object: ObjectName,
  { configMap, hasServices }: Pick<ParametersQuestion, "configMap"> & { readonly hasServices: boolean },
): ParametersReading | undefined {
  const named = spec?.infrastructure?.parametersRef;
  if (named === undefined) return undefined;
  const reference = { ...named, namespace: metadata.namespace ?? "default" };
  const field = "spec.infrastructure.parametersRef";
  const done = hasServices ? "the Gateway keeps the Service that it has, and a new one gets none" : withoutServices;
  return readParameters({ reference, object, field, done, configMap });
}
