/**
 * Knows which replica acts for all of them. The election begins when the own Pod is known and the
 * first Snapshot is complete; until then no replica leads.
 */

import type { Clock } from "../../base/timing/clock.ts";
import type { Log } from "../../edges/log/log.ts";
import { keepServiceIngresses, type ServiceIngressOptions } from "../../edges/service-ingress/keep.ts";
import { addressSource, hasCompany, type OwnPod } from "../../edges/status/sources.ts";
import { clearStatus, keepStatus, type StatusEvent, type StatusOptions } from "../../edges/status/syncer.ts";
import { type Client, type ElectionEvent, LeaseElection, type Term } from "../../kube/index.ts";
import type { Flags } from "../flags.ts";
import type { UnansweredWrites } from "./unanswered-writes.ts";

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

/**
 * Work that only one of several replicas does: the election, the status of Ingresses and, if a flag
 * turns them on, Ingresses for Services. The order of stopping matters: the status is cleared after
 * its last write and while the Lease is still held, so that neither this leader nor the next one
 * writes it back.
 */
interface LeaderOptions extends Pick<StatusOptions, "ingresses" | "changed" | "isWhole" | "onChange" | "found"> {
  readonly client: Client;
  readonly flags: Flags;
  readonly own: OwnPod;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Called for each event of the election, for the metrics. */
  readonly elected: (event: ElectionEvent) => void;
  /** The writes of this process, whose failure ends a term. */
  readonly writes: UnansweredWrites;
  /** If it is undefined, no Service gets an Ingress. */
  readonly serviceIngresses: ServiceIngressOptions | undefined;
  /** Keeps the statuses of objects of the Gateway API. */
  readonly keepGateways: (term: Term, stop: AbortSignal) => Promise<void>;
}

interface Leader {
  readonly isLeading: boolean;
  /** Rejects with a bug. */
  readonly running: Promise<void>;
  /** Ends the writing, clears what has to be cleared, and releases the Lease, within `limitMs`. */
  stop(limitMs: number): Promise<void>;
}

export function standForElection(options: LeaderOptions): Leader {
  const { client, flags, own, clock, random, log, serviceIngresses } = options;
  const leaving = new AbortController();
  const resigning = new AbortController();
  const status: StatusOptions = {
    ...options,
    addresses: addressSource(client, flags, own),
    intervalMs: flags.statusUpdateInterval * 1000,
    report: (event) => logStatus(log, event),
  };
  const keepObjects = async (term: Term) => {
    const ingresses = serviceIngresses && keepServiceIngresses(serviceIngresses, term, leaving.signal);
    await Promise.all([ingresses, options.keepGateways(term, leaving.signal)]);
  };
  let work: Promise<unknown> = Promise.resolve();
  const election = new LeaseElection(client, {
    lease: { namespace: own.name.namespace, name: flags.electionId },
    identity: own.name.name,
    durationMs: flags.electionTtl,
    lead: async (term) => {
      const keepsStatus = flags.updateStatus ? keepStatus(status, term, leaving.signal) : undefined;
      work = Promise.all([keepsStatus, keepObjects(term)]);
      await work;
    },
    clock,
    random,
    report: (event) => {
      logElection(log, event);
      options.elected(event);
    },
  });
  options.writes.onTooMany((why) => election.resign(why));
  // Without an election every replica writes the statuses; later replicas find them written
  // already.
  const unelected: Term = { lost: leaving.signal, holds: () => !leaving.signal.aborted };
  const running = flags.disableLeaderElection ? keepObjects(unelected) : election.run(resigning.signal);
  return {
    get isLeading() {
      return election.isLeading;
    },
    running,
    async stop(limitMs) {
      leaving.abort();
      const limit = AbortSignal.timeout(limitMs);
      await Promise.race([work, new Promise((late) => limit.addEventListener("abort", late))]);
      if (flags.updateStatus && flags.updateStatusOnShutdown) {
        const company = async (signal: AbortSignal) => {
          const answer = await hasCompany(client, own, signal);
          return answer.ok ? answer.value : undefined;
        };
        await clearStatus({ ...status, hasCompany: company }, limit);
      }
      resigning.abort();
      await running;
    },
  };
}

function logElection(log: Log, event: ElectionEvent): void {
  switch (event.kind) {
    case "leading":
      log.info("this replica leads");
      break;
    case "lost":
      log.warn({ why: event.why }, "this replica no longer leads");
      break;
    case "released":
      log.debug("the Lease is given back");
      break;
    case "observed":
      log.info({ leader: event.leader === "" ? "nobody" : event.leader }, "the Lease was seen");
      break;
    case "failed":
      log.warn({ why: event.failure.message }, "the Lease could not be read or written; trying again");
  }
}

function logStatus(log: Log, event: StatusEvent): void {
  switch (event.kind) {
    case "written":
      log.info({ ingresses: event.ingresses }, "the status of Ingresses was written");
      break;
    case "cleared":
      log.info({ ingresses: event.ingresses }, "the status of Ingresses was cleared");
      break;
    case "no-addresses":
      log.warn(
        { why: event.failure.message },
        "the addresses for the status of Ingresses cannot be read; trying again",
      );
      break;
    case "write-failed":
      log.warn(
        { ingress: event.ingress, why: event.failure.message },
        "the status of an Ingress could not be written; trying again",
      );
  }
}
