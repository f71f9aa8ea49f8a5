/**
 * Limits the authorities that the BackendTLSPolicies of a namespace may make nginx load. nginx
 * loads them once for each distinct policy, at every test and reload, and the authorities of a
 * machine take a third of a second each time. The oldest policies come first.
 */
import type { Authorities } from "../../../model/backend-tls.ts";
import type { Problem } from "../../../problem.ts";
import { byCreation } from "../creation.ts";
import type { PolicyReading } from "./policy.ts";

/** About the bytes of the file with the authorities that a machine trusts. */
const bytesOfSystem = 256 * 1024;

const bytesOf = (authorities: Authorities): number =>
  authorities.kind === "file" ? bytesOfSystem : authorities.text.length;

/** The readings of one namespace with those that exceed `most` bytes made invalid. */
export function withinTrust(
  readings: readonly PolicyReading[],
  most: number,
  words: string,
): ReadonlyMap<string, PolicyReading> {
  const loaded = new Set<string>();
  let sum = 0;
  const oldestFirst = readings.toSorted((one, other) => byCreation(one.policy, other.policy));
  return new Map(
    oldestFirst.map((reading): [string, PolicyReading] => {
      if (reading.tls === undefined || loaded.has(reading.tls.id)) return [reading.key, reading];
      const bytes = bytesOf(reading.tls.authorities);
      if (sum + bytes > most) return [reading.key, refused(reading, words)];
      sum += bytes;
      loaded.add(reading.tls.id);
      return [reading.key, reading];
    }),
  );
}

function refused({ tls: _, ...facts }: PolicyReading, words: string): PolicyReading {
  const { object } = facts;
  const why = `with the older policies of namespace ${object.namespace} nginx would load more authorities than backend-authorities-per-namespace permits (${words})`;
  const done = "requests to its targets get 500";
  const problem: Problem = { object, kind: "field-unusable", field: "spec.validation", why, done };
  return { ...facts, invalid: { reason: "Invalid", problem } };
}
