/** Assembles the state of a controller, on request, from parts that run anyway. */
import type { Problem } from "../../core/model/problem.ts";
import { severityOf } from "../../core/model/problem-kinds.ts";
import type { Sync } from "../../core/sync/sync.ts";
import type { Failures } from "../../edges/failures.ts";
import type { Channel } from "../../nginx/channel.ts";
import type { Nginx } from "../../nginx/index.ts";
import { attentionOf } from "../attention.ts";
import type { StatusAnswer, StatusCounts } from "./api/status.ts";
import type { RecentChanges } from "./recent-changes.ts";
import type { ServedCounts } from "./served-counts.ts";

export interface StatusParts {
  readonly identity: StatusAnswer["controller"];
  readonly controller: RunningController;
  readonly changes: RecentChanges;
  readonly counts: ServedCounts;
  /** The present Problems of all sources. */
  readonly problems: readonly Problem[];
  /** Undefined outside of a cluster. */
  readonly leader: StatusAnswer["leader"];
  readonly failures: Failures;
}

/** What the state of a controller is read from. */
export interface RunningController {
  readonly sync: Pick<Sync, "configuration" | "isBehind" | "refusals">;
  readonly nginx: Pick<Nginx, "generations" | "pid" | "restarts">;
  readonly channel: Pick<Channel, "state" | "connections">;
}

export async function statusOf({
  identity,
  controller,
  changes,
  counts,
  problems,
  leader,
  failures,
}: StatusParts): Promise<StatusAnswer> {
  const { sync, nginx } = controller;
  const isDynamic = identity.mode === "dynamic";
  const [memory, connections] = await Promise.all([
    isDynamic ? controller.channel.state() : undefined,
    controller.channel.connections(),
  ]);
  const { workers, draining, drainingWorkers } = nginx.generations();
  const { objects, settings, ports } = sync.refusals;
  const isRunning = nginx.pid !== undefined;
  const behind = sync.isBehind ? whyBehind(changes) : undefined;
  const { live } = changes;
  return {
    version: 1,
    controller: identity,
    ...(live === undefined ? {} : { live }),
    ...(behind === undefined ? {} : { behind: { why: behind } }),
    attention: attentionOf({
      isRunning,
      behind,
      refusals: sync.refusals,
      served: sync.configuration,
      problems,
      failures,
    }),
    counts: {
      ...counts.of(sync.configuration),
      problems: bySeverity(problems),
      quarantined: objects.size + settings.size + ports.size,
    },
    reloads: changes.reloads,
    changes: changes.newestFirst,
    nginx: {
      isRunning,
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

function bySeverity(problems: readonly Problem[]): StatusCounts["problems"] {
  const errors = problems.filter((problem) => severityOf(problem) === "error").length;
  return { error: errors, warning: problems.length - errors };
}
