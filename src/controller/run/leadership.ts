/**
 * Knows which replica acts for all of them. The election begins when the own Pod is known and the
 * first Snapshot is complete; until then no replica leads.
 */
import type { OwnPod } from "../../edges/status/sources.ts";
import { type Leader, type LeaderOptions, standForElection } from "./leader.ts";

export interface Leadership {
  /** Whether this replica acts for all of them. Without an election each acts for itself. */
  readonly leads: boolean;
  /** Undefined without an election. `name` is the identity in the Lease, as soon as it is known. */
  readonly leader: { readonly isOwn: boolean; readonly name?: string } | undefined;
  /** Rejects with a bug. */
  readonly ended: Promise<void>;
  /** See `Leader.stop`. Undefined if this replica never stood for election. */
  leave(limitMs: number): Promise<void> | undefined;
}

type Given = "client" | "flags" | "clock" | "random" | "log" | "writes";
type Work = Omit<LeaderOptions, Given | "own" | "elected">;

export interface Standing {
  /** Aborted when the program ends. Then this replica no longer stands for election. */
  readonly signal: AbortSignal;
  /** Called when this replica begins or ceases to lead. */
  readonly lead: (leads: boolean) => void;
  /** Returns the work of a leader. */
  readonly work: (own: OwnPod) => Work;
}

export function openLeadership(
  options: Pick<LeaderOptions, Given> & {
    readonly metrics: { readonly elected: LeaderOptions["elected"] };
  },
  known: Promise<OwnPod>,
  { signal, lead, work }: Standing,
): Leadership {
  const { disableLeaderElection } = options.flags;
  let seen = "";
  let leader: Leader | undefined;
  const elected: LeaderOptions["elected"] = (event) => {
    options.metrics.elected(event);
    if (event.kind === "observed") seen = event.leader;
    if (event.kind === "leading") lead(true);
    if (event.kind === "lost" || event.kind === "released") lead(false);
  };
  if (disableLeaderElection) lead(true);
  const ended = known.then((own) => {
    if (!signal.aborted) leader = standForElection({ ...options, ...work(own), elected, own });
    return leader?.running;
  });
  return {
    get leads() {
      return disableLeaderElection || leader?.isLeading === true;
    },
    get leader() {
      if (disableLeaderElection) return undefined;
      return { isOwn: leader?.isLeading === true, ...(seen === "" ? {} : { name: seen }) };
    },
    ended,
    leave: (limitMs) => leader?.stop(limitMs),
  };
}
