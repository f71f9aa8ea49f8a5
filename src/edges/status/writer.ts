/**
 * Writes addresses into the status of Ingresses, ten at a time, and only if the newest form of
 * the Ingress differs. One trap: a PUT of the status also replaces the metadata, including labels
 * and finalizers, so the whole Ingress has to be sent. A conflict means that the form was not the
 * newest.
 */
import { guardedLater } from "../../base/guarded.ts";
import { type Ingress, keyOf } from "../../core/model/objects.ts";
import { type ApiFailure, bugFailure, type Client, nameOf, succeeded } from "../../kube/index.ts";
import { ingresses } from "../resources.ts";
import { type Addresses, sameAddresses } from "./addresses.ts";

export interface WriteOptions {
  readonly client: Pick<Client, "get" | "update">;
  /** Whether the Ingress in memory is complete; otherwise it is read first. */
  readonly isWhole: (ingress: Ingress) => boolean;
  /** Called right before each write; false ends the round after the running writes. */
  readonly mayWrite: () => boolean;
  readonly failed: (key: string, failure: ApiFailure) => void;
}

const atATime = 10;
const tries = 5;

/**
 * Returns the number of written Ingresses. Failures are reported, and the next round repeats them.
 * `signal` interrupts running writes.
 */
export async function writeAddresses(
  all: readonly Ingress[],
  addresses: Addresses,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<number> {
  const targets = all.values();
  let written = 0;
  const work = async () => {
    for (const ingress of targets) {
      if (signal.aborted || !options.mayWrite()) return;
      const isWritten = await guardedLater(
        () => writeOne(ingress, addresses, options, signal),
        (bug) => {
          options.failed(keyOf(ingress), bugFailure(bug));
          return false;
        },
      );
      if (isWritten) written += 1;
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return written;
}

export const has = ({ status }: Ingress, addresses: Addresses) =>
  sameAddresses(status?.loadBalancer?.ingress ?? [], addresses);

async function writeOne(
  known: Ingress,
  addresses: Addresses,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, isWhole, mayWrite, failed } = options;
  const key = keyOf(known);
  for (let attempt = 1; ; attempt += 1) {
    const isAtHand = attempt === 1 && isWhole(known) && !has(known, addresses);
    const read = isAtHand ? succeeded(known) : await client.get(ingresses, nameOf(key), signal);
    if (!read.ok) {
      if (read.failure.code !== 404 && !signal.aborted) failed(key, read.failure);
      return false;
    }
    if (has(read.value, addresses) || !mayWrite()) return false;
    const loadBalancer = addresses.length === 0 ? {} : { ingress: addresses };
    const ingress = { ...read.value, status: { ...read.value.status, loadBalancer } };
    const answer = await client.update(ingresses, ingress, signal, { subresource: "status" });
    if (answer.ok) return true;
    if (answer.failure.code !== 409 || attempt === tries) {
      if (answer.failure.code !== 404 && !signal.aborted) failed(key, answer.failure);
      return false;
    }
  }
}
