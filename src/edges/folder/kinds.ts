/**
 * Recognises the objects that Sluice reads by apiVersion and kind. A folder may hold Deployments
 * and other objects, which are skipped.
 */
import { didYouMean } from "../../base/did-you-mean.ts";
import { shown } from "../../core/kinds/kind.ts";
import { nearest } from "../../core/kinds/nearest.ts";
import { versionsBeforeV1 } from "../../core/model/gateway/definition-versions.ts";
import { gatewayGroup } from "../../core/model/gateway/objects.ts";
import type { WatchedKind } from "../../core/model/snapshot.ts";
import type { Check } from "../../core/schema/findings.ts";
import { checkOfKind } from "./rules/kinds.ts";

export interface KindRule {
  readonly apiVersion: string;
  readonly namespaced: boolean;
}

export const kinds: Readonly<Record<WatchedKind, KindRule>> = {
  Ingress: { apiVersion: "networking.k8s.io/v1", namespaced: true },
  IngressClass: { apiVersion: "networking.k8s.io/v1", namespaced: false },
  Service: { apiVersion: "v1", namespaced: true },
  EndpointSlice: { apiVersion: "discovery.k8s.io/v1", namespaced: true },
  Secret: { apiVersion: "v1", namespaced: true },
  ConfigMap: { apiVersion: "v1", namespaced: true },
  Namespace: { apiVersion: "v1", namespaced: false },
  GatewayClass: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: false },
  Gateway: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: true },
  HTTPRoute: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: true },
  ReferenceGrant: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: true },
  GRPCRoute: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: true },
  TLSRoute: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: true },
  TCPRoute: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: true },
  UDPRoute: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: true },
  ListenerSet: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: true },
  BackendTLSPolicy: { apiVersion: "gateway.networking.k8s.io/v1", namespaced: true },
  RouteSettings: { apiVersion: "sluice.dev/v1alpha1", namespaced: true },
};

/**
 * Groups that have, or had, the kinds above. In other groups a kind of the same name has another
 * meaning, such as a Service of Knative.
 */
const groups = ["", "extensions", "networking.k8s.io", "discovery.k8s.io", "gateway.networking.k8s.io", "sluice.dev"];

/**
 * The group that the Gateway API had at first, and that of experimental kinds, whose names begin
 * with X.
 */
const formerGroups = ["networking.x-k8s.io", "gateway.networking.x-k8s.io"];

/** Kinds that API servers have in v1beta1, too. */
const betas = ["GatewayClass", "Gateway", "HTTPRoute"];

/**
 * Returns the version of an object; undefined if Sluice does not read it. Kinds of the Gateway API
 * had the same fields before v1.
 */
function versionOf(kind: WatchedKind, apiVersion: string): string | undefined {
  const [group, version = ""] = apiVersion.split("/");
  if (kinds[kind].apiVersion === apiVersion) return version;
  const before = betas.includes(kind) ? ["v1beta1"] : (versionsBeforeV1[kind] ?? []);
  return group === gatewayGroup && before.includes(version) ? version : undefined;
}

export type Recognised =
  | { readonly is: "ours"; readonly kind: WatchedKind; readonly check: Check }
  | { readonly is: "mistaken"; readonly kind: string; readonly field: "apiVersion" | "kind"; readonly why: string }
  | { readonly is: "other" };

export function recognise(apiVersion: string, kind: string): Recognised {
  const group = groupOf(apiVersion);
  if (formerGroups.includes(group)) return ofFormerGroup(apiVersion, kind);
  if (!groups.includes(group)) return isMistypedGroup(group, kind) ? ofWrongVersion(apiVersion, kind) : { is: "other" };
  if (kind === "Endpoints" && apiVersion === "v1")
    return { is: "ours", kind: "EndpointSlice", check: checkOfKind(kind) };
  if (!Object.hasOwn(kinds, kind)) return ofUnknownKind(group, kind);
  const version = versionOf(kind as WatchedKind, apiVersion);
  if (version !== undefined) return { is: "ours", kind: kind as WatchedKind, check: checkOfKind(kind, version) };
  return ofWrongVersion(apiVersion, kind);
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";

function ofWrongVersion(apiVersion: string, kind: string): Recognised {
  const rule = kinds[kind as WatchedKind];
  const fields =
    kind === "Ingress" ? ", in which a path has a pathType, and a backend is service: { name, port: { number } }" : "";
  const why = `the API has no ${kind} of ${apiVersion}; write ${rule.apiVersion}${fields}`;
  return { is: "mistaken", kind, field: "apiVersion", why };
}

function ofFormerGroup(apiVersion: string, kind: string): Recognised {
  const now = kind.replace(/^X(?=[A-Z])/, "");
  const rule = Object.hasOwn(kinds, now) ? kinds[now as WatchedKind] : undefined;
  if (rule === undefined || groupOf(rule.apiVersion) !== gatewayGroup) return { is: "other" };
  const written = now === kind ? rule.apiVersion : `${rule.apiVersion} and kind: ${now}`;
  const why = `Sluice does not read ${kind} of ${apiVersion}; write ${written}, whose fields may differ`;
  return { is: "mistaken", kind: now, field: "apiVersion", why };
}

/**
 * Recognises a kind that the group does not have and that looks like one of ours. Kinds of the
 * Gateway API differ by few letters, and other projects define more of them, so there only the case
 * of letters may differ.
 */
function ofUnknownKind(group: string, kind: string): Recognised {
  const ours = Object.entries(kinds).flatMap(([name, rule]) =>
    groupOf(rule.apiVersion) === group || (group === "extensions" && name === "Ingress") ? [name] : [],
  );
  const isOfKubernetes = ["", "extensions", "networking.k8s.io", "discovery.k8s.io"].includes(group);
  const similar =
    ours.find((name) => name.toLowerCase() === kind.toLowerCase()) ??
    (isOfKubernetes ? nearest(kind, ours) : undefined);
  if (similar === undefined) return { is: "other" };
  const why = `there is no kind ${shown(kind)}${didYouMean(similar)}`;
  return { is: "mistaken", kind: similar, field: "kind", why };
}

/**
 * Whether the group is mistyped. Only Kubernetes itself has these two kinds; other projects have a
 * Service or a Gateway, too.
 */
function isMistypedGroup(group: string, kind: string): boolean {
  if (kind !== "Ingress" && kind !== "IngressClass") return false;
  return !group.includes(".") || nearest(group, ["networking.k8s.io"]) !== undefined;
}
