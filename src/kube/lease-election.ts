/**
 * Elects one leader among several processes by a Lease. It is safe whatever the clocks say: a
 * candidate counts from the moment at which it *saw* the Lease change, a leader from the moment
 * before it *sent* its last successful renewal, and the leader's time limit ends before the
 * candidates' does. One trap: a process can be stopped for a minute and continue in the middle of a
 * line. No signal reaches it in time, so code that writes as leader calls `term.holds()` right
 * before each write.
 */

import { type Clock, sleep } from "../base/timing/clock.ts";
import { type Answer, type ApiFailure, ownReasons } from "./answer.ts";
import type { Client } from "./client.ts";
import { heldBy, isReleased, type Lease, leases, released } from "./lease.ts";
import type { ObjectName } from "./resource.ts";

/** A term: the time in which this process leads without interruption. */
export interface Term {
  /** Aborts when the term is over and nothing may be written any more. */
  readonly lost: AbortSignal;
  /**
   * Returns false as soon as another process may have the Lease. A process that was stopped learns
   * it here first.
   */
  holds(): boolean;
}

export interface ElectionOptions {
  readonly lease: ObjectName & { readonly namespace: string };
  /** The name of the Pod; it must differ between processes. */
  readonly identity: string;
  /**
   * The work of the leader. It has to end soon when `term.lost` aborts and when the process stops.
   * Until then the Lease is kept as long as possible, so that the last writes are still those of a
   * leader, and this process does not become a candidate again.
   */
  readonly lead: (term: Term) => Promise<void>;
  /**
   * The time that candidates wait after the last renewal that they saw. A leader gives up after
   * half of it, and renews every quarter of it.
   */
  readonly durationMs?: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report?: (event: ElectionEvent) => void;
}

export type ElectionEvent =
  | { readonly kind: "leading" }
  | { readonly kind: "lost"; readonly why: string }
  | { readonly kind: "released" }
  | { readonly kind: "observed"; readonly leader: string }
  | { readonly kind: "failed"; readonly failure: ApiFailure };

/** The verbs that an election needs on `leases`. */
export type LeaseClient = Pick<Client, "get" | "create" | "update">;

/**
 * A reading of both clocks. The monotonic clock stands still while a machine sleeps, and the other
 * may be set back, so the larger difference counts.
 */
interface Moment {
  readonly now: number;
  readonly wall: number;
}

export class LeaseElection {
  readonly #client: LeaseClient;
  readonly #options: ElectionOptions;
  readonly #durationMs: number;
  #observed: Lease | undefined;
  /** The time at which `#observed` was seen to change, by the monotonic clock. */
  #observedAt = 0;
  /** The moment before the last successful renewal was sent. */
  #renewed: Moment | undefined;
  #resign: ((why: string) => void) | undefined;
  /** Until then this process does not try to get the Lease, by the monotonic clock. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(client: LeaseClient, options: ElectionOptions) {
    this.#client = client;
    this.#options = options;
    this.#durationMs = options.durationMs ?? 30_000;
  }

  /** The holder of the Lease when it was last read; empty when it had none. */
  get leader(): string {
    return this.#observed?.spec?.holderIdentity ?? "";
  }

  /**
   * Whether this process leads. It is false if the last renewal is too long ago by either clock.
   */
  get isLeading(): boolean {
    const elapsedByWall = this.#renewed === undefined ? 0 : this.#options.clock.wall() - this.#renewed.wall;
    return this.#leftMs() > 0 && elapsedByWall < this.#durationMs / 2;
  }

  /**
   * Waits as a candidate, leads, and waits again, until the signal aborts; then it releases the
   * Lease. It rejects only with an error that `lead` threw.
   */
  async run(stop: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    while (!stop.aborted) {
      if (await this.#attempt(stop)) await this.#serve(stop);
      await sleep(clock, (this.#durationMs / 4) * (1 + 1.2 * random()), stop);
    }
  }

  /**
   * Ends the present term, because this process can renew the Lease and not do the work. It gives
   * the Lease back, and lets others try for the whole duration of a Lease. Without a term it has no
   * effect.
   */
  resign(why: string): void {
    this.#resign?.(why);
  }

  /** Tries once to get the Lease. */
  async #attempt(stop: AbortSignal): Promise<boolean> {
    const { clock, identity } = this.#options;
    if (!(await this.#read(stop))) return false;
    const { holderIdentity = "", leaseDurationSeconds = 0 } = this.#observed?.spec ?? {};
    const validMs = Math.max(leaseDurationSeconds * 1000, this.#durationMs);
    const othersHold = holderIdentity !== "" && holderIdentity !== identity;
    if (clock.now() < this.#restsUntil || (othersHold && clock.now() - this.#observedAt < validMs)) return false;
    const written = await this.#write(stop);
    if (!written.ok && written.failure.code !== 409) this.#reportFailure(written.failure);
    return written.ok && this.isLeading;
  }

  /** Leads until the Lease is lost, or until the process stops and the leader's work has ended. */
  async #serve(stop: AbortSignal): Promise<void> {
    const { lead, report } = this.#options;
    report?.({ kind: "leading" });
    const over = new AbortController();
    const finished = new AbortController();
    const resigned = new AbortController();
    this.#resign = (why) => resigned.abort(why);
    const work = lead({ lost: over.signal, holds: () => !over.signal.aborted && this.isLeading });
    work.then(
      () => whenAborted(stop, () => finished.abort()),
      () => finished.abort(),
    );
    const lost = await this.#renewUntil(AbortSignal.any([finished.signal, resigned.signal]));
    this.#resign = undefined;
    const why = lost ?? (resigned.signal.aborted ? String(resigned.signal.reason) : undefined);
    if (why !== undefined) over.abort();
    if (lost === undefined) await this.#release();
    if (resigned.signal.aborted) this.#restsUntil = this.#options.clock.now() + this.#durationMs;
    this.#renewed = undefined;
    over.abort();
    if (why !== undefined) report?.({ kind: "lost", why });
    await work;
  }

  /** Resolves with the reason why the Lease was lost, or with undefined when `finished` aborts. */
  async #renewUntil(finished: AbortSignal): Promise<string | undefined> {
    const { clock } = this.#options;
    for (;;) {
      await sleep(clock, Math.min(this.#durationMs / 4, this.#leftMs()), finished);
      if (finished.aborted) return undefined;
      if (this.#leftMs() <= 0) return "it could not be renewed in time";
      const holder = await this.#renew();
      if (holder !== this.#options.identity) return holder === "" ? "it is gone" : `${holder} has it`;
    }
  }

  /** Tries once, and returns the holder of the Lease as far as is known. */
  async #renew(): Promise<string> {
    const { clock, identity } = this.#options;
    const limit = new AbortController();
    const cancel = clock.schedule(this.#leftMs(), () => limit.abort());
    try {
      const written = await this.#write(limit.signal);
      if (written.ok) return identity;
      const changed = written.failure.code === 409 || written.failure.code === 404;
      if (!changed) this.#reportFailure(written.failure);
      // Our own renewal may have arrived although its answer did not. Then this process still has
      // the Lease, in a newer version.
      return changed && (await this.#read(limit.signal)) ? this.leader : identity;
    } finally {
      cancel();
    }
  }

  /**
   * Lets the next leader start at once. A Lease of another holder is not written, because its
   * resourceVersion has changed.
   */
  async #release(): Promise<void> {
    const { clock, report } = this.#options;
    const { spec } = this.#observed as Lease;
    if (!this.isLeading || spec === undefined) return;
    const limit = new AbortController();
    const cancel = clock.schedule(Math.min(5_000, this.#leftMs()), () => limit.abort());
    const lease = { ...(this.#observed as Lease), spec: released(clock.wall(), spec) };
    const answer = await this.#client.update(leases, lease, limit.signal);
    cancel();
    if (answer.ok) report?.({ kind: "released" });
    else this.#reportFailure(answer.failure);
  }

  /** Returns true when the Lease was read, or is known not to exist. */
  async #read(signal: AbortSignal): Promise<boolean> {
    const { lease, identity, clock } = this.#options;
    const before = this.leader;
    const answer = await this.#client.get(leases, lease, signal);
    if (answer.ok) this.#observe(answer.value);
    else if (answer.failure.code === 404) this.#observed = undefined;
    else this.#reportFailure(answer.failure);
    // Somebody has deleted the Lease, or changed its holder by hand. The former leader learns it
    // only at its next renewal.
    const isFree = this.leader === "" || this.leader === identity;
    if (before !== "" && before !== identity && isFree && !isReleased(this.#observed?.spec))
      this.#restsUntil = clock.now() + this.#durationMs;
    return answer.ok || answer.failure.code === 404;
  }

  /**
   * Takes or renews the Lease as it was last read. The API server answers 409 when the Lease has
   * changed since then.
   */
  async #write(signal: AbortSignal): Promise<Answer<Lease>> {
    const { clock, identity, lease } = this.#options;
    const sent = { now: clock.now(), wall: clock.wall() };
    const spec = heldBy(identity, this.#durationMs, sent.wall, this.#observed?.spec);
    const answer = this.#observed
      ? await this.#client.update(leases, { ...this.#observed, spec }, signal)
      : await this.#client.create(leases, { ...newLease, metadata: lease, spec }, signal);
    if (answer.ok) {
      this.#observe(answer.value);
      this.#renewed = sent;
    }
    return answer;
  }

  #observe(lease: Lease): void {
    const before = this.#observed;
    this.#observed = lease;
    if (before !== undefined && JSON.stringify(before.spec) === JSON.stringify(lease.spec)) return;
    this.#observedAt = this.#options.clock.now();
    const leader = lease.spec?.holderIdentity ?? "";
    if (leader !== (before?.spec?.holderIdentity ?? "")) this.#options.report?.({ kind: "observed", leader });
  }

  /**
   * Returns the milliseconds for which this process may still act as leader, by the monotonic
   * clock.
   */
  #leftMs(): number {
    const { clock } = this.#options;
    return this.#renewed === undefined ? 0 : this.#renewed.now + this.#durationMs / 2 - clock.now();
  }

  #reportFailure(failure: ApiFailure): void {
    if (failure.reason !== ownReasons.aborted) this.#options.report?.({ kind: "failed", failure });
  }
}

const newLease = { apiVersion: leases.apiVersion, kind: leases.kind };

function whenAborted(signal: AbortSignal, run: () => void): void {
  if (signal.aborted) run();
  else signal.addEventListener("abort", run, { once: true });
}
