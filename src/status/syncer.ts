/**
 * Keeps the addresses in the status of all accepted Ingresses, for as long as this process leads, and takes them out when the last controller
 * goes. A new Ingress gets them within a second; what somebody else changed, at the next round.
 */
import { type Clock, sleep } from "../clock.ts";
import type { ApiFailure, Client, Term } from "../kubernetes/index.ts";
import type { Ingress } from "../model/objects.ts";
import type { AddressSource } from "./sources.ts";
import { writeAddresses } from "./writer.ts";

export interface StatusOptions {
  readonly client: Pick<Client, "get" | "update">;
  readonly addresses: AddressSource;
  /** Every accepted Ingress, canaries included, in its newest form. */
  readonly ingresses: () => readonly Ingress[];
  /** Calls when Ingresses may have come or changed; gives how to stop. */
  readonly onChange: (listener: () => void) => () => void;
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

/** Writes until the term is lost or `stop` aborts. */
export async function keepStatus(options: StatusOptions, term: Term, stop: AbortSignal): Promise<void> {
  const { clock, intervalMs } = options;
  const signal = AbortSignal.any([term.lost, stop]);
  let noticed = new AbortController();
  const unsubscribe = options.onChange(() => noticed.abort());
  while (!signal.aborted) {
    noticed = new AbortController();
    await round(options, () => term.holds(), signal);
    await sleep(clock, leastMs, signal);
    await sleep(clock, intervalMs - leastMs, AbortSignal.any([signal, noticed.signal]));
  }
  unsubscribe();
}

async function round(options: StatusOptions, mayWrite: () => boolean, signal: AbortSignal): Promise<void> {
  const { addresses, report } = options;
  const answer = await addresses(signal);
  if (signal.aborted) return;
  if (!answer.ok) return report({ kind: "no-addresses", failure: answer.failure });
  const ingresses = await writeAddresses(options.ingresses(), answer.value, writing(options, mayWrite), signal);
  if (ingresses > 0) report({ kind: "written", ingresses });
}

export interface ClearOptions extends StatusOptions {
  /** Whether another controller is left that goes on publishing the addresses; undefined when that cannot be told. */
  readonly hasCompany: (signal: AbortSignal) => Promise<boolean | undefined>;
}

/** On shutdown: takes the address out, unless there are several, or a controller is left that it still leads to (process contract C 27). */
export async function clearStatus(options: ClearOptions, signal: AbortSignal): Promise<void> {
  const answer = await options.addresses(signal);
  if (!answer.ok || answer.value.length > 1) return;
  if ((await options.hasCompany(signal)) !== false) return;
  const ingresses = await writeAddresses(
    options.ingresses(),
    [],
    writing(options, () => true),
    signal,
  );
  if (ingresses > 0) options.report({ kind: "cleared", ingresses });
}

const writing = ({ client, report }: StatusOptions, mayWrite: () => boolean) => ({
  client,
  mayWrite,
  failed: (ingress: string, failure: ApiFailure) => report({ kind: "write-failed", ingress, failure }),
});
