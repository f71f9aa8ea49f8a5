/** Parts of an Ingress that would be applied and do nothing beside what is there: a canary that shadows no path, a backend that is no Service. */
import type { Reading } from "../annotations/reading.ts";
import { type Ingress, keyOf } from "../model/objects.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Problem } from "../problem.ts";
import type { Settings } from "../settings/registry.ts";
import { byAge } from "../translate/age.ts";
import { serverOf } from "../translate/hosts/server.ts";
import { claimOf } from "../translate/ingress/claim.ts";
import type { TranslateOptions } from "../translate/options.ts";
import { type HostPath, hostPaths } from "./neighbours.ts";

/** An Ingress that is not rejected. */
export interface Applied {
  readonly ingress: Ingress;
  readonly reading: Reading;
}

interface Around {
  readonly snapshot: Snapshot;
  readonly settings: Settings;
  readonly options: TranslateOptions;
}

/**
 * Asks `translate/` for the Servers of its hosts, made of it and of those that share a path with it, and keeps what is said of
 * its own fields. The catch-all's default backend is left out: a canary of it shadows paths of any Ingress.
 */
export function idleParts(
  { ingress, reading }: Applied,
  neighbours: (place: HostPath) => readonly Applied[],
  { snapshot, settings, options }: Around,
): readonly Problem[] {
  const own = claimOf(ingress, reading, undefined);
  const others = new Map(
    hostPaths(ingress).flatMap((place) => neighbours(place).map((other) => [keyOf(other.ingress), other] as const)),
  );
  const claims = [own, ...[...others.values()].map((other) => claimOf(other.ingress, other.reading, undefined))];
  const world = {
    settings,
    sslPassthrough: options.enableSslPassthrough,
    pathsAreText: options.lacks.has("lua"),
    annotationsPrefix: options.annotationsPrefix,
    service: (key: string) => snapshot.services.get(key),
    secret: () => undefined,
    wantedBy: () => ({ aliases: [], twin: undefined }),
    ownerOf: () => undefined,
    brokenSecret: () => undefined,
    isTlsConfigured: () => false,
  };
  return [...own.hosts.keys()].flatMap((host) => {
    const here = claims.filter(({ hosts }) => hosts.has(host)).sort((a, b) => byAge(a.since, b.since));
    return serverOf(host, here, world).problems.filter((problem) => problem.object === own.owner && isIdle(problem));
  });
}

function isIdle(problem: Problem): boolean {
  if (problem.kind === "field-unusable") return problem.field !== "spec.defaultBackend";
  return problem.kind === "path-taken";
}
