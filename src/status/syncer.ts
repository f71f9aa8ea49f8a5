/**
 * Keeps the addresses in the status of all accepted Ingresses, for as long as this process leads,
 * and takes them out when the last controller goes. A new Ingress gets them within a second; what
 * somebody else changed, at the next round.
 */
import { guarded, guardedLater } from "../guarded.ts";
import { type Answer, type ApiFailure, bugFailure, type Client, type Term } from "../kubernetes/index.ts";
import type { Ingress } from "../model/objects.ts";
import { type Clock, sleep } from "../timing/clock.ts";
import { type Addresses, sameAddresses } from "./addresses.ts";
import type { AddressSource } from "./sources.ts";
import { has, writeAddresses } from "./writer.ts";

export interface StatusOptions {
  readonly client: Pick<Client, "get" | "update">;
  readonly addresses: AddressSource;
  /** Every accepted Ingress, canaries included, in its newest form. */
  readonly ingresses: () => readonly Ingress[];
  /** Those of them that came or changed since one of the two was asked last. */
  readonly changed: () => readonly Ingress[];
  /** Whether nothing is missing of one of them, so that it can be written as it is. */
  readonly isWhole: (ingress: Ingress) => boolean;
  /** Calls when Ingresses may have come or changed; gives how to stop. */
  readonly onChange: (listener: () => void) => () => void;
  /** Takes the addresses that were found in a round. */
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

/** Rounds that changes ask for are at least so far apart. */
const leastMs = 1_000;

/** When all Ingresses were looked at last, and which addresses they were to have. */
interface Look {
  readonly atMs: number;
  readonly addresses: Addresses;
}

/**
 * Writes until the term is lost or `stop` aborts. The API server may carry out a write that was cut
 * short, after whatever is asked of it next: so `stop` lets the writes that have begun end, and
 * this resolves after them.
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
 * All are looked at each interval, and again after something failed; in between those that changed,
 * while the addresses are the same.
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

/** A Service or a Node on which Sluice fails is like one that cannot be read. */
function addressesOf({ addresses }: StatusOptions, signal: AbortSignal): ReturnType<AddressSource> {
  return guardedLater<Answer<Addresses>>(
    () => addresses(signal),
    (bug) => ({ ok: false, failure: bugFailure(bug) }),
  );
}

/** True of an Ingress on which Sluice fails, so that the writer reports it. */
function mayLack(ingress: Ingress, addresses: Addresses): boolean {
  return guarded(
    () => !has(ingress, addresses),
    () => true,
  );
}

export interface ClearOptions extends StatusOptions {
  /**
   * Whether another controller is left that goes on publishing the addresses; undefined when that
   * cannot be known.
   */
  readonly hasCompany: (signal: AbortSignal) => Promise<boolean | undefined>;
}

/**
 * On shutdown: takes the address out, unless there are several, or a controller is left that it
 * still leads to (process contract C 27).
 */
export async function clearStatus(options: ClearOptions, signal: AbortSignal): Promise<void> {
  const answer = await addressesOf(options, signal);
  if (!answer.ok || answer.value.length > 1) return;
  if ((await options.hasCompany(signal)) !== false) return;
  // The last writes have not come back yet, so all are read again; but nothing was written where
  // there is no address.
  const targets = options.ingresses().filter((ingress) => answer.value.length > 0 || mayLack(ingress, []));
  const { ingresses } = await write(targets, [], { ...options, mayWrite: () => true, signal });
  if (ingresses > 0) options.report({ kind: "cleared", ingresses });
}

interface Writing extends Pick<StatusOptions, "client" | "isWhole" | "report"> {
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
}

/** How many were written, and whether one could not be. */
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
