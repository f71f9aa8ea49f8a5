/**
 * Finds parts of an Ingress that would be applied and have no effect, such as a canary that shadows
 * no path, or a backend that is not a Service.
 */

import type { Parts } from "../../base/timing/paced.ts";
import { type Ingress, keyOf } from "../../core/model/objects.ts";
import { isOfField, type Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { Reading } from "../../core/policies/reading.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { claimOf } from "../../core/sources/ingress/claim.ts";
import { byAge } from "../../core/table/age.ts";
import type { Claim } from "../../core/table/claim.ts";
import { serverOf } from "../../core/table/hosts/server.ts";
import { shownHost } from "../../core/table/hosts/shown-host.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { type HostPath, hostPaths } from "./neighbours.ts";

/** An Ingress that is not rejected. */
export interface Applied {
  readonly ingress: Ingress;
  readonly reading: Reading;
}

/** The number of paths that are checked before other work gets the event loop. */
const atATime = 500;

/**
 * A host with more paths is skipped: it is built in one piece, which would block the event loop for
 * too long.
 */
const mostPaths = 4_000;

interface Around {
  readonly snapshot: Snapshot;
  readonly settings: Settings;
  readonly options: TranslateOptions;
}

/**
 * Lets `translate/` build the Servers of its hosts, from this Ingress and those that share a path
 * with it, and keeps the Problems about its own fields. The catch-all's default backend is left
 * out, because a canary of it shadows paths of any Ingress.
 */
export function* idleParts(
  { ingress, reading }: Applied,
  neighbours: (place: HostPath) => readonly Applied[],
  { snapshot, settings, options }: Around,
): Parts<readonly Problem[]> {
  const own = claimOf(ingress, reading, undefined);
  const others = new Map<string, Applied>();
  for (const [at, place] of hostPaths(ingress).entries()) {
    if (at % atATime === 0) yield;
    for (const other of neighbours(place)) others.set(keyOf(other.ingress), other);
  }
  const claims = [own];
  for (const other of others.values()) {
    claims.push(claimOf(other.ingress, other.reading, undefined));
    yield;
  }
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
    namesakeOf: () => undefined,
  };
  const problems: Problem[] = [];
  const byHost = new Map([...own.hosts.keys()].map((host): [string, Claim[]] => [host, []]));
  for (const claim of claims) for (const host of claim.hosts.keys()) byHost.get(host)?.push(claim);
  for (const [host, here] of byHost) {
    const paths = here.reduce((sum, { hosts }) => sum + hosts.get(host)!.length, 0);
    if (paths > mostPaths) problems.push(notLooked(own.owner, host));
    else {
      const { problems: found } = serverOf(
        host,
        here.sort((a, b) => byAge(a.since, b.since)),
        world,
      );
      problems.push(...found.filter((problem) => problem.object === own.owner && isIdle(problem)));
    }
    yield;
  }
  return problems;
}

function notLooked(object: Claim["owner"], host: string): Problem {
  const why = `host ${shownHost(host)} has more than ${mostPaths} paths together with those of other Ingresses`;
  const done = "the webhook does not look for paths that do nothing; Events name them";
  return { object, kind: "limit-exceeded", field: "spec.rules", why, done };
}

function isIdle(problem: Problem): boolean {
  if (isOfField(problem)) return problem.field !== "spec.defaultBackend";
  return problem.kind === "path-taken";
}
