/** Makes the Claim of one Ingress. */

import { catchAll } from "../../model/configuration.ts";
import { type Ingress, keyOf } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import type { Reading } from "../../policies/reading.ts";
import { ageOf } from "../../table/age.ts";
import type { Claim, ClaimedBackend, ClaimedPath, ClaimedTls } from "../../table/claim.ts";
import { backendOf } from "./backends.ts";
import { typedPath } from "./paths.ts";

/** Makes the Claim. `closed` is a reason why its paths answer 503, beside those of the reading. */
export function claimOf(ingress: Ingress, reading: Reading, closed: Problem | undefined): Claim {
  const { name, namespace = "default", uid, annotations = none } = ingress.metadata;
  return {
    key: `Ingress ${keyOf(ingress)}`,
    owner: { kind: "Ingress", namespace, name },
    uid,
    since: ageOf(ingress),
    annotations,
    features: reading.values,
    closed: closed ?? denialOf(reading),
    hosts: hostsOf(ingress, namespace, reading.values.canary !== undefined),
    defaultBackend: defaultBackendOf(ingress, namespace),
    answersUnknownHosts: ingress.spec?.defaultBackend !== undefined && (ingress.spec.rules ?? []).length === 0,
    tls: tlsOf(ingress, namespace),
  };
}

const none: Readonly<Record<string, string>> = {};

/** Returns the Problem that makes a reading close the paths. */
function denialOf({ verdict, problems }: Reading): Problem | undefined {
  if (verdict !== "deny") return undefined;
  return problems.find((problem) => "done" in problem && problem.done === "deny") ?? problems[0];
}

/**
 * Returns the hosts. An Ingress with only a default backend has a Claim on the catch-all (RS-4.7),
 * and a canary with one always has (RS-13.3).
 */
function hostsOf({ spec }: Ingress, namespace: string, isCanary: boolean): Map<string, ClaimedPath[]> {
  const hosts = new Map<string, ClaimedPath[]>();
  spec?.rules?.forEach((rule, r) => {
    const host = (rule.host ?? "") === "" ? catchAll : rule.host!.toLowerCase();
    const paths = hosts.get(host) ?? [];
    hosts.set(host, paths);
    rule.http?.paths?.forEach((path, p) => {
      const backend = backendOf(path.backend, namespace, "backend");
      paths.push({ field: fieldOf(r, p), match: typedPath(path), backends: [backend] });
    });
  });
  const backing = spec?.defaultBackend !== undefined && (isCanary || hosts.size === 0);
  if (backing && !hosts.has(catchAll)) hosts.set(catchAll, []);
  return hosts;
}

/** The field of most paths, as one text that thousands of Ingresses share. */
const firstField = "spec.rules[0].http.paths[0]";
const fieldOf = (rule: number, path: number) =>
  rule === 0 && path === 0 ? firstField : `spec.rules[${rule}].http.paths[${path}]`;

function defaultBackendOf({ spec }: Ingress, namespace: string): ClaimedBackend | undefined {
  return spec?.defaultBackend && backendOf(spec.defaultBackend, namespace, "spec.defaultBackend");
}

const noTls: readonly ClaimedTls[] = [];

function tlsOf({ spec }: Ingress, namespace: string): readonly ClaimedTls[] {
  if (spec?.tls === undefined || spec.tls.length === 0) return noTls;
  return spec.tls.map(({ hosts = [], secretName = "" }, at) => ({
    field: `spec.tls[${at}].secretName`,
    hosts: hosts.map((host) => host.toLowerCase()),
    secret: secretName === "" ? "" : `${namespace}/${secretName}`,
  }));
}
