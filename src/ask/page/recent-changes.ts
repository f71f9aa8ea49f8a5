/**
 * The last changes, and how each became live. A change that waits for a reload is one entry, which
 * the report of that reload completes. One reload may belong to several changes.
 */

import type { Clock } from "../../base/timing/clock.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { ApplyOutcome, SyncReport, TurnFailure } from "../../core/sync/ports.ts";
import { type ChangedObjects, changedObjects } from "../../edges/log/changed-objects.ts";
import type { StatusAnswer, StatusChange } from "./api/status.ts";
import { shown } from "./shown.ts";

const mostChanges = 100;
const longestProblem = 1_000;

interface Entry {
  readonly change: StatusChange;
  /** The monotonic time. */
  readonly noticedMs: number;
}

export class RecentChanges {
  readonly #clock: Clock;
  /** Newest first. */
  #entries: readonly Entry[] = [];
  #last: Snapshot | undefined;
  #live: { readonly generation: string; readonly since: string } | undefined;
  #changedAt: string | undefined;
  readonly #reasons = new Map<string, number>();
  #applied = 0;
  #succeeded = 0;
  #failed = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of changes since the start. */
  get count(): number {
    return this.#applied;
  }

  get newestFirst(): readonly StatusChange[] {
    return this.#entries.map(({ change }) => change);
  }

  /**
   * The text that nginx serves, with the time at which it became live; undefined until it serves a
   * text of this controller.
   */
  get live(): StatusAnswer["live"] {
    if (this.#live === undefined) return undefined;
    return { ...this.#live, changedAt: this.#changedAt ?? this.#live.since };
  }

  get reloads(): StatusAnswer["reloads"] {
    const why = [...this.#reasons].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
    return { succeeded: this.#succeeded, failed: this.#failed, why };
  }

  /** Records a turn on `snapshot`. `generation` belongs to the text that nginx serves now. */
  synced(report: SyncReport, snapshot: Snapshot, generation: string | undefined): void {
    const { change, reload, tookMs } = report;
    const at = new Date(this.#clock.wall()).toISOString();
    if (generation !== undefined && generation !== this.#live?.generation) this.#live = { generation, since: at };
    const changed = changedObjects(this.#last, snapshot);
    this.#last = snapshot;
    if (change.kind === "none" && reload === undefined) return;
    if (reload !== undefined) this.#count(report, reload);
    const outcome = reload !== undefined ? outcomeOf(reload) : change.kind === "reload" ? "waiting" : "live";
    if (outcome === "live") this.#changedAt = at;
    const completes = reload !== undefined && this.#settle(report, reload, at);
    if (completes && changed.objects.length === 0) return;
    const entry = { change: changeOf(report, changed, { at, outcome }), noticedMs: this.#clock.now() - tookMs };
    this.#applied += 1;
    this.#entries = [entry, ...this.#entries].slice(0, mostChanges);
  }

  #count({ change }: SyncReport, reload: ApplyOutcome | TurnFailure): void {
    if (reload.kind === "reloaded") this.#succeeded += 1;
    else if (reload.kind !== "unchanged") this.#failed += 1;
    const reasons = change.kind === "reload" ? change.why : [];
    for (const why of reasons) this.#reasons.set(why, (this.#reasons.get(why) ?? 0) + 1);
  }

  /** Completes the changes that waited for this reload; returns whether there were any. */
  #settle(report: SyncReport, reload: ApplyOutcome | TurnFailure, at: string): boolean {
    const waits = ({ change: { outcome } }: Entry) => outcome === "waiting" || outcome === "failed";
    const waited = this.#entries.some(waits);
    const now = this.#clock.now();
    this.#entries = this.#entries.map((entry) => {
      if (!waits(entry)) return entry;
      const { problem: _, ...rest } = entry.change;
      const reasons = entry.change.reload ?? reasonsOf(report);
      const ended = { at, outcome: outcomeOf(reload), tookMs: now - entry.noticedMs };
      return { ...entry, change: { ...rest, ...ended, ...reloadOf(reasons, reload), ...problemOf(reload) } };
    });
    return waited;
  }
}

function changeOf(
  report: SyncReport,
  { objects, more }: ChangedObjects,
  ended: Pick<StatusChange, "at" | "outcome">,
): StatusChange {
  const { change, records, reload, tookMs } = report;
  const needsReload = change.kind === "reload" || reload !== undefined;
  return {
    ...ended,
    objects,
    more,
    published: records,
    tookMs,
    ...(needsReload ? reloadOf(reasonsOf(report), reload) : {}),
    ...problemOf(reload),
  };
}

type Reasons = Pick<NonNullable<StatusChange["reload"]>, "why" | "by">;

const reasonsOf = ({ change }: SyncReport): Reasons => (change.kind === "reload" ? change : { why: [] });

function reloadOf({ why, by }: Reasons, reload: SyncReport["reload"]): Pick<StatusChange, "reload"> {
  return {
    reload: {
      why,
      ...(by === undefined ? {} : { by }),
      ...(reload?.kind === "reloaded" ? { tookMs: reload.tookMs } : {}),
    },
  };
}

function outcomeOf({ kind }: ApplyOutcome | TurnFailure): StatusChange["outcome"] {
  if (kind === "reloaded" || kind === "unchanged") return "live";
  return kind === "refused" ? "refused" : "failed";
}

function problemOf(reload: SyncReport["reload"]): Pick<StatusChange, "problem"> {
  if (reload?.kind === "refused") return { problem: shown(reload.stderr.split("\n")[0] ?? "", longestProblem) };
  if (reload?.kind === "unreachable" || reload?.kind === "failed")
    return { problem: shown(reload.cause.message, longestProblem) };
  return {};
}
