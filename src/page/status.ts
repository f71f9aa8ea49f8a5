/** The state of a controller, assembled on request from parts that run anyway. */
import type { FeatureValues } from "../annotations/registry.ts";
import type { Controller } from "../controller.ts";
import { type Configuration, defaultUpstream } from "../model/configuration.ts";
import type { Problem } from "../problem.ts";
import type { Settings } from "../settings/registry.ts";
import { severityOf } from "../severity.ts";
import type { StatusAnswer, StatusCounts } from "./api/status.ts";
import type { RecentChanges } from "./recent-changes.ts";

export interface StatusParts {
  readonly identity: StatusAnswer["controller"];
  readonly controller: Pick<Controller, "sync" | "nginx" | "memory" | "figures">;
  readonly changes: RecentChanges;
  /** The present Problems of all sources. */
  readonly problems: readonly Problem[];
  /** Undefined outside of a cluster. */
  readonly leader: StatusAnswer["leader"];
}

export async function statusOf({
  identity,
  controller,
  changes,
  problems,
  leader,
}: StatusParts): Promise<StatusAnswer> {
  const { sync, nginx } = controller;
  const isDynamic = identity.mode === "dynamic";
  const [memory, { connections }] = await Promise.all([
    isDynamic ? controller.memory() : undefined,
    controller.figures(),
  ]);
  const { workers, draining, drainingWorkers } = nginx.generations();
  const { objects, settings, ports } = sync.refusals;
  const { live } = changes;
  return {
    version: 1,
    controller: identity,
    ...(live === undefined ? {} : { live }),
    ...(sync.isBehind ? { behind: { why: whyBehind(changes) } } : {}),
    counts: {
      ...countsOf(sync.configuration),
      problems: bySeverity(problems),
      quarantined: objects.size + settings.size + ports.size,
    },
    reloads: changes.reloads,
    changes: changes.newestFirst,
    nginx: {
      isRunning: nginx.pid !== undefined,
      workers,
      drainingGenerations: draining,
      drainingWorkers,
      restarts: nginx.restarts,
      ...(connections === undefined ? {} : { connections: connections.active }),
    },
    ...(memory === undefined ? {} : { memory: { capacityBytes: memory.capacityBytes, freeBytes: memory.freeBytes } }),
    ...(leader === undefined ? {} : { leader }),
  };
}

function whyBehind({ newestFirst }: RecentChanges): string {
  const [problem] = newestFirst.flatMap((change) => (change.outcome === "live" ? [] : (change.problem ?? [])));
  return problem ?? "a reload is under way, or waits for its turn";
}

type Served = Configuration<Settings, FeatureValues>;

function countsOf(served: Served | undefined): Omit<StatusCounts, "problems" | "quarantined"> {
  if (served === undefined) return { hosts: 0, routes: 0, endpoints: 0, certificates: 0, gateways: 0, streams: 0 };
  const gateways = new Set<string>();
  for (const { listeners } of served.listenerPorts.values()) for (const { gateway } of listeners) gateways.add(gateway);
  let [hosts, routes, endpoints] = [0, 0, 0];
  for (const { locations } of served.servers.values()) {
    const owned = locations.filter(({ owner }) => owner !== undefined).length;
    routes += owned;
    if (owned > 0) hosts += 1;
  }
  for (const { id, endpoints: some } of served.upstreams.values()) if (id !== defaultUpstream) endpoints += some.length;
  const [certificates, streams] = [served.certificates.size, served.streams.length];
  return { hosts, routes, endpoints, certificates, gateways: gateways.size, streams };
}

function bySeverity(problems: readonly Problem[]): StatusCounts["problems"] {
  const errors = problems.filter((problem) => severityOf(problem) === "error").length;
  return { error: errors, warning: problems.length - errors };
}
