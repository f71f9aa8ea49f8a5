/** Keeps the host policy, which is read again when its ConfigMap or Namespaces have changed. */
import { nameOf } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Problems } from "../../table/problems.ts";
import { entriesOfConfigMap, entriesOfNamespaces, type ReadEntries } from "./entries.ts";
import { type HostPolicy, hostPolicyOf, noHostPolicy } from "./policy.ts";

/**
 * The source of the policy: `labels` of Namespaces, or the ConfigMap `namespace/name`. It is
 * undefined if there is no policy.
 */
export type HostPolicyPlace = string | undefined;

export const onNamespaces = "labels";

/** Returns the ConfigMap with the policy; undefined if there is none. */
export const policyConfigMap = ({ hostPolicy }: { readonly hostPolicy: HostPolicyPlace }): string | undefined =>
  hostPolicy === onNamespaces ? undefined : hostPolicy;

export class HostPolicyInForce {
  readonly #place: HostPolicyPlace;
  readonly #problems: Problems;
  #value: HostPolicy = noHostPolicy;
  #entries = "[]";

  constructor(place: HostPolicyPlace, problems: Problems) {
    this.#place = place;
    this.#problems = problems;
  }

  get value(): HostPolicy {
    return this.#value;
  }

  /** Reads the policy again if needed. Returns whether it has changed. */
  renew(before: Snapshot, now: Snapshot, isFirst: boolean): boolean {
    const place = this.#place;
    if (place === undefined || (!isFirst && !mayDiffer(place, before, now))) return false;
    const read = place === onNamespaces ? entriesOfNamespaces(now.namespaces.values()) : this.#ofConfigMap(place, now);
    if (read === undefined) return false;
    this.#problems.replace("the host policy", read.problems);
    const entries = JSON.stringify(read.entries);
    if (entries === this.#entries) return false;
    this.#entries = entries;
    this.#value = hostPolicyOf(read.entries);
    return true;
  }

  /**
   * Returns undefined if the ConfigMap is missing. Its last content then stays in force, so that
   * its loss opens no host.
   */
  #ofConfigMap(key: string, { configMaps }: Snapshot): ReadEntries | undefined {
    const configMap = configMaps.get(key);
    if (configMap !== undefined) return entriesOfConfigMap(configMap);
    this.#problems.replace("the host policy", [missing(key, this.#value !== noHostPolicy)]);
    return undefined;
  }
}

function mayDiffer(place: string, before: Snapshot, now: Snapshot): boolean {
  if (place === onNamespaces) return before.namespaces !== now.namespaces;
  return before.configMaps.get(place) !== now.configMaps.get(place);
}

function missing(key: string, isKept: boolean): Problem {
  const done = isKept ? "its last content stays in force" : "every namespace may use every host";
  const object = { kind: "ConfigMap", ...nameOf(key) };
  return {
    object,
    kind: "reference-unusable",
    field: "the flag --host-policy",
    why: "the ConfigMap is not found",
    done,
  };
}
