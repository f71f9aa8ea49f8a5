/**
 * Finds a host and path that another Ingress already has (RS-29.9). Unlike nginx, this rule treats
 * Exact and Prefix alike: two Ingresses on one path are more often a mistake than intended. An
 * Ingress with the canary annotation may share the path, even if the value is false, because
 * deployment tools write false first and true later.
 */

import type { Parts } from "../../base/timing/paced.ts";
import { catchAll } from "../../core/model/configuration.ts";
import type { Ingress } from "../../core/model/objects.ts";
import type { Problem } from "../../core/model/problem.ts";
import { ageOf, byAge } from "../../core/table/age.ts";
import type { Applied } from "./idle-parts.ts";
import { type HostPath, hostPaths } from "./neighbours.ts";

/** The number of paths that are checked before other work gets the event loop. */
const atATime = 500;

/**
 * Yields one Problem for each path that one of `neighbours` has. They do not include the Ingress
 * itself. The sentence is the same as in the Event that would follow.
 */
export function* overlaps(
  ingress: Ingress,
  prefix: string,
  neighbours: (place: HostPath) => readonly Applied[],
): Parts<readonly Problem[]> {
  const sharing = (one: Ingress) => one.metadata.annotations?.[`${prefix}/canary`] !== undefined;
  if (sharing(ingress)) return [];
  const object = { kind: "Ingress", namespace: ingress.metadata.namespace ?? "default", name: ingress.metadata.name };
  const typed = new Map<Ingress, ReadonlySet<string>>();
  const hasTyped = (one: Ingress, place: HostPath): boolean => {
    // The two may have thousands of paths in common, so the paths of the other Ingress are
    // collected once.
    if (!typed.has(one)) typed.set(one, new Set(hostPaths(one).map(typedName)));
    return typed.get(one)!.has(typedName(place));
  };
  const problems: Problem[] = [];
  for (const [at, place] of hostPaths(ingress).entries()) {
    if (at % atATime === 0) yield;
    const [oldest] = neighbours(place)
      .map((other) => other.ingress)
      .filter((other) => !sharing(other))
      .sort((a, b) => byAge(ageOf(a), ageOf(b)));
    if (oldest === undefined) continue;
    const { namespace = "default", name } = oldest.metadata;
    const host = place.host === catchAll ? "*" : place.host;
    const kind = byAge(ageOf(oldest), ageOf(ingress)) < 0 && hasTyped(oldest, place) ? "path-taken" : "path-contested";
    problems.push({ kind, object, host, path: place.path, by: { kind: "Ingress", namespace, name } });
  }
  return problems;
}

const typedName = ({ host, path, type }: HostPath): string => `${host} ${path} ${type}`;
