/**
 * A host and path that another Ingress has already (RS-29.9). Unlike nginx, which tells Exact from Prefix, this rule does not:
 * two Ingresses on one path are a mistake more often than a plan. An Ingress that carries the canary annotation, even as false,
 * may share: deployment tools write false first and true later.
 */
import { catchAll } from "../model/configuration.ts";
import type { Ingress } from "../model/objects.ts";
import type { Problem } from "../problem.ts";
import { ageOf, byAge } from "../translate/age.ts";
import type { Applied } from "./idle-parts.ts";
import { type HostPath, hostPaths } from "./neighbours.ts";

/** One Problem for each path that is not free of `neighbours`, which are others than the Ingress itself; the sentence is that of the Event where there would be one. */
export function overlaps(
  ingress: Ingress,
  prefix: string,
  neighbours: (place: HostPath) => readonly Applied[],
): readonly Problem[] {
  const sharing = (one: Ingress) => one.metadata.annotations?.[`${prefix}/canary`] !== undefined;
  if (sharing(ingress)) return [];
  const object = { kind: "Ingress", namespace: ingress.metadata.namespace ?? "default", name: ingress.metadata.name };
  return hostPaths(ingress).flatMap((place) => {
    const [oldest] = neighbours(place)
      .map((other) => other.ingress)
      .filter((other) => !sharing(other))
      .sort((a, b) => byAge(ageOf(a), ageOf(b)));
    if (oldest === undefined) return [];
    const { namespace = "default", name } = oldest.metadata;
    const host = place.host === catchAll ? "*" : place.host;
    const kind = byAge(ageOf(oldest), ageOf(ingress)) < 0 && hasTyped(oldest, place) ? "path-taken" : "path-contested";
    return [{ kind, object, host, path: place.path, by: { kind: "Ingress", namespace, name } }];
  });
}

function hasTyped(ingress: Ingress, { host, path, type }: HostPath): boolean {
  return hostPaths(ingress).some((own) => own.host === host && own.path === path && own.type === type);
}
