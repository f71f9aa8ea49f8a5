/**
 * Reads a value as an object of the API: its name, and the findings of the API server. The result
 * does not depend on the place in the file, so it is valid wherever the same value occurs again.
 */

import { isMapping, type Mapping } from "../../core/model/mapping.ts";
import { type KubernetesObject, keyOf } from "../../core/model/objects.ts";
import type { ObjectName } from "../../core/model/problem.ts";
import type { WatchedKind } from "../../core/model/snapshot.ts";
import { type Finding, isRefused } from "../../core/schema/findings.ts";
import { ofWrongType } from "../../core/schema/sentences.ts";
import type { Endpoints } from "../resources.ts";
import { mirrored } from "./endpoints.ts";
import { kinds, recognise } from "./kinds.ts";
import { playbook, renderedFirst } from "./mistakes/other-tools.ts";
import { jsonPatch, withPatchHint } from "./mistakes/patches.ts";
import { checkOfKind } from "./rules/kinds.ts";

export type WrittenObject =
  /** The object has no readable name. */
  | { readonly is: "nameless"; readonly why: string }
  | { readonly is: "other"; readonly value: Mapping }
  /**
   * An object of a known kind with a mistake in its kind or version. Its name has the kind that was
   * meant.
   */
  | { readonly is: "mistaken"; readonly name: ObjectName; readonly findings: readonly Finding[] }
  | {
      readonly is: "ours";
      readonly kind: WatchedKind;
      readonly key: string;
      readonly name: ObjectName;
      readonly findings: readonly Finding[];
      /** Undefined if a finding is fatal. */
      readonly object: KubernetesObject | undefined;
    };

/** Reads a value without null fields: `readManifest` removes them. */
export function writtenObject(value: unknown): WrittenObject {
  if (!isMapping(value))
    return { is: "nameless", why: jsonPatch(value) ?? playbook(value) ?? "it is not a Kubernetes object" };
  const { apiVersion, kind } = value;
  if (isKustomization(value)) return { is: "other", value };
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    const missing = typeof kind === "string" ? "apiVersion" : "kind";
    return { is: "nameless", why: renderedFirst(value) ?? `it is not a Kubernetes object: ${missing} is missing` };
  }
  const recognised = recognise(apiVersion, kind);
  if (recognised.is === "other") return { is: "other", value };
  const meta = isMapping(value.metadata) ? value.metadata : {};
  if (typeof meta.name !== "string" || meta.name === "")
    return { is: "nameless", why: namelessWhy(kind, value.metadata, meta.name) };
  const meant = recognised.kind;
  const namespaced = kinds[meant as WatchedKind]?.namespaced ?? true;
  const namespace = typeof meta.namespace === "string" && meta.namespace !== "" ? meta.namespace : "default";
  const written = kind === "Endpoints" ? kind : meant;
  const name: ObjectName = { kind: written, name: meta.name, ...(namespaced ? { namespace } : {}) };
  const object = (meta.namespace === name.namespace ? value : placed(value, meta, name.namespace)) as KubernetesObject;
  if (recognised.is === "mistaken") {
    const mistake: Finding = { path: [recognised.field], why: recognised.why, fatal: true };
    return { is: "mistaken", name, findings: [mistake, ...findingsInCommon(meant, object)] };
  }
  const findings = withPatchHint(recognised.check(object));
  const good = !isRefused(findings);
  const content = good ? finished(object) : undefined;
  const key = kind === "Endpoints" ? `${keyOf(object)}#` : keyOf(object);
  return { is: "ours", kind: recognised.kind, key, name, findings, object: content };
}

/** Returns the object in its namespace, which is undefined for kinds that have none. */
function placed(value: object, meta: object, namespace: string | undefined): object {
  const { namespace: _, ...bare } = meta as { readonly namespace?: unknown };
  return { ...value, metadata: namespace === undefined ? bare : { ...bare, namespace } };
}

/**
 * Returns the mistakes in what all versions of a kind have in common: the metadata, and the hosts
 * of an Ingress. The rest has other fields in each version.
 */
function findingsInCommon(kind: string, object: KubernetesObject): readonly Finding[] {
  return checkOfKind(kind)(object).filter(({ path }) => {
    const [first, second] = path;
    return first === "metadata" || (kind === "Ingress" && (second === "tls" || path.at(-1) === "host"));
  });
}

function namelessWhy(kind: string, metadata: unknown, name: unknown): string {
  const [field, value] = isMapping(metadata) ? ["metadata.name", name] : ["metadata", metadata];
  if (value === undefined || value === null || value === "") return `this ${kind} has no metadata.name`;
  return `${field} of this ${kind}: ${ofWrongType(value, [isMapping(metadata) ? "string" : "object"])}`;
}

/**
 * Whether the value is a kustomization without its apiVersion or kind, as kustomize permits.
 * Without a kind it lists files, and no values file has a list of names in its place.
 */
function isKustomization({ apiVersion, kind, resources }: Mapping): boolean {
  if (apiVersion !== undefined) return false;
  if (kind !== undefined || !Array.isArray(resources)) return kind === "Kustomization" || kind === "Component";
  return resources.length > 0 && resources.every((one) => typeof one === "string");
}

/**
 * Normalizes an object as the API server would: the data of a Secret loses its line breaks, and
 * Endpoints are mirrored as an EndpointSlice.
 */
function finished(object: KubernetesObject): KubernetesObject {
  if (object.kind === "Endpoints") return mirrored(object as Endpoints);
  if (object.kind !== "Secret") return object;
  const {
    stringData = {},
    data = {},
    ...rest
  } = object as KubernetesObject & {
    readonly data?: Record<string, string>;
    readonly stringData?: Record<string, string>;
  };
  const bare = Object.entries(data).map(([key, text]) => [key, text.replace(/[\r\n]/g, "")]);
  const plain = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return { ...rest, data: Object.fromEntries([...bare, ...plain]) } as KubernetesObject;
}
