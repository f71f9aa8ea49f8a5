/**
 * Keeps the addresses in the status of all accepted Ingresses as long as this process leads, and
 * removes them when the last controller ends. A new Ingress gets them within a second; a change by
 * another program is corrected in the next round.
 */
import { guarded, guardedLater } from "../../base/guarded.ts";
import { type Clock, sleep } from "../../base/timing/clock.ts";
import type { Ingress } from "../../core/model/objects.ts";
import { type Answer, type ApiFailure, bugFailure, type Client, type Term } from "../../kube/index.ts";
import { type Addresses, sameAddresses } from "./addresses.ts";
import type { AddressSource } from "./sources.ts";
import { has, writeAddresses } from "./writer.ts";

export interface StatusOptions {
  readonly client: Pick<Client, "get" | "update">;
  readonly addresses: AddressSource;
  /** Returns every accepted Ingress, including canaries, in its newest form. */
  readonly ingresses: () => readonly Ingress[];
  /**
   * Returns the Ingresses that are new or have changed since the last call of this function or
   * `ingresses`.
   */
  readonly changed: () => readonly Ingress[];
  /** Whether the Ingress is complete, so that it can be written as it is. */
  readonly isWhole: (ingress: Ingress) => boolean;
  /** Calls the listener when Ingresses may be new or changed. Returns a function that ends this. */
  readonly onChange: (listener: () => void) => () => void;
  /** Called with the addresses that a round has found. */
  readonly found?: (addresses: Addresses) => void;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly report: (event: StatusEvent) => void;
}

export type StatusEvent =
  | { readonly kind: "written"; readonly ingresses: number }
  | { readonly kind: "cleared"; readonly ingresses: number }
  | { readonly kind: "no-addresses"; readonly failure: ApiFailure }
  | { readonly kind: "write-failed"; readonly ingress: string; readonly failure: ApiFailure };

/** The least time between two rounds that changes cause. */
const leastMs = 1_000;

/** The time of the last round over all Ingresses, and its addresses. */
interface Look {
  readonly atMs: number;
  readonly addresses: Addresses;
}

/**
 * Writes until the term is lost or `stop` aborts. The API server may carry out an interrupted write
 * after a later request. So `stop` lets running writes end, and this resolves after them.
 */
export async function keepStatus(options: StatusOptions, term: Term, stop: AbortSignal): Promise<void> {
  const { clock, intervalMs } = options;
  const signal = AbortSignal.any([term.lost, stop]);
  const writing = { mayWrite: () => term.holds() && !stop.aborted, signal: term.lost };
  let noticed = new AbortController();
  let last: Look | undefined;
  const unsubscribe = options.onChange(() => noticed.abort());
  while (!signal.aborted) {
    noticed = new AbortController();
    last = await round(options, last, writing, signal);
    await sleep(clock, leastMs, signal);
    const dueMs = (last?.atMs ?? clock.now()) + intervalMs;
    await sleep(clock, dueMs - clock.now(), AbortSignal.any([signal, noticed.signal]));
  }
  unsubscribe();
}

/**
 * Runs one round. All Ingresses are checked at each interval and after a failure; in between only
 * those that changed, while the addresses are the same.
 */
async function round(
  options: StatusOptions,
  last: Look | undefined,
  writing: Pick<Writing, "mayWrite" | "signal">,
  signal: AbortSignal,
): Promise<Look | undefined> {
  const { clock, intervalMs, report } = options;
  const answer = await addressesOf(options, signal);
  if (signal.aborted) return undefined;
  if (!answer.ok) {
    report({ kind: "no-addresses", failure: answer.failure });
    return undefined;
  }
  const addresses = answer.value;
  options.found?.(addresses);
  const atMs = clock.now();
  const suffices = last !== undefined && atMs - last.atMs < intervalMs && sameAddresses(last.addresses, addresses);
  const looked = suffices ? options.changed() : options.ingresses();
  const targets = looked.filter((ingress) => mayLack(ingress, addresses));
  const { ingresses, failed } = await write(targets, addresses, { ...options, ...writing });
  if (ingresses > 0) report({ kind: "written", ingresses });
  if (failed) return undefined;
  return suffices ? last : { atMs, addresses };
}

/** Reads the addresses. A Service or Node on which Sluice fails counts as unreadable. */
function addressesOf({ addresses }: StatusOptions, signal: AbortSignal): ReturnType<AddressSource> {
  return guardedLater<Answer<Addresses>>(
    () => addresses(signal),
    (bug) => ({ ok: false, failure: bugFailure(bug) }),
  );
}

/**
 * Whether the Ingress may lack an address. It is true for an Ingress on which Sluice fails, so that
 * the writer reports it.
 */
function mayLack(ingress: Ingress, addresses: Addresses): boolean {
  return guarded(
    () => !has(ingress, addresses),
    () => true,
  );
}

export interface ClearOptions extends StatusOptions {
  /**
   * Returns whether another controller remains that publishes the addresses; undefined when that
   * cannot be found out.
   */
  readonly hasCompany: (signal: AbortSignal) => Promise<boolean | undefined>;
}

/**
 * Removes the address at shutdown, unless there are several, or it leads to another controller that
 * remains (process contract C 27).
 */
export async function clearStatus(options: ClearOptions, signal: AbortSignal): Promise<void> {
  const answer = await addressesOf(options, signal);
  if (!answer.ok || answer.value.length > 1) return;
  if ((await options.hasCompany(signal)) !== false) return;
  // Watches may not have delivered the last writes yet, so all Ingresses are read again. Without an
  // address nothing was written.
  const targets = options.ingresses().filter((ingress) => answer.value.length > 0 || mayLack(ingress, []));
  const { ingresses } = await write(targets, [], { ...options, mayWrite: () => true, signal });
  if (ingresses > 0) options.report({ kind: "cleared", ingresses });
}

interface Writing extends Pick<StatusOptions, "client" | "isWhole" | "report"> {
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
}

/** Returns the number of written Ingresses, and whether a write failed. */
async function write(targets: readonly Ingress[], addresses: Addresses, writing: Writing) {
  const { client, isWhole, report, mayWrite, signal } = writing;
  let failed = false;
  const refused = (ingress: string, failure: ApiFailure) => {
    failed = true;
    report({ kind: "write-failed", ingress, failure });
  };
  const ingresses = await writeAddresses(targets, addresses, { client, isWhole, mayWrite, failed: refused }, signal);
  return { ingresses, failed };
}
