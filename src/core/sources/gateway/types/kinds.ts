/**
 * Checks objects by the types in the definitions, by required fields, and by the lengths of lists,
 * whose product is the cost of an object: each host of a route has each of its matches on each
 * listener of its parents. The API server does this by the definitions of the cluster, but these
 * may be older than Sluice, or newer, or have no schema. Of the versions of a kind the one that
 * permits most is taken.
 */

import type { KubernetesObject } from "../../../model/objects.ts";
import { kindCheck } from "../../../schema/definitions.ts";
import { type Check, type Finding, fine } from "../../../schema/findings.ts";
import { fewMatches } from "../../../schema/matches.ts";

/** Kinds that are left out if they have a mistake. */
export const typedKinds = [
  ...(["GatewayClass", "Gateway", "ListenerSet", "ReferenceGrant"] as const),
  ...(["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"] as const),
];

/**
 * Kinds of which the fields matter that Sluice does not know. Policies are read with their
 * mistakes, because one that is left out would no longer guard anything.
 */
const others: ReadonlySet<string> = new Set(["BackendTLSPolicy", "RouteSettings", "Ingress"]);

/** Where one of these is missing, its reader closes what depends on it, and nothing else. */
const mayLack = [
  ...["spec", "controllerName", "gatewayClassName", "spec.listeners", "spec.parentRef", "spec.hostnames"],
  ...["spec.rules", "rules[].backendRefs", "from", "to", "frontend.default", "perPort[].tls", "caCertificateRefs"],
  ...["caCertificateRefs[].group", "caCertificateRefs[].kind", "externalAuth.protocol", "header.name"],
];

const options = {
  ...{ version: "v1alpha2", typesOnly: true, mayLack },
  after: { "HTTPRoute.spec.rules": fewMatches(1), "GRPCRoute.spec.rules": fewMatches(0) },
};

const checks = new Map<string, Check>();
const known = new WeakMap<KubernetesObject, readonly Finding[]>();

function checkFor(kind: string): Check {
  if ((typedKinds as readonly string[]).includes(kind)) return kindCheck(kind, { ...options, unchecked: ["metadata"] });
  return others.has(kind) ? kindCheck(kind, { ...options, unchecked: ["metadata", "status"] }) : () => fine;
}

/** Returns the mistakes in an object, and the fields that its definition does not have. */
export function findingsIn(object: KubernetesObject): readonly Finding[] {
  const before = known.get(object);
  if (before !== undefined) return before;
  const { kind } = object;
  const check = checks.get(kind) ?? checkFor(kind);
  checks.set(kind, check);
  const findings = check(object);
  known.set(object, findings);
  return findings;
}
