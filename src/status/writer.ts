/**
 * Writes addresses into the status of Ingresses: only where the newest form of the Ingress differs, ten at a time.
 * What a newcomer would get wrong: a PUT of the status replaces labels and annotations as well, so what is sent must have been read
 * a moment ago, and a conflict means reading it again.
 */
import { type ApiFailure, type Client, nameOf } from "../kubernetes/index.ts";
import { type Ingress, keyOf } from "../model/objects.ts";
import { ingresses } from "../resources.ts";
import { type Addresses, sameAddresses } from "./addresses.ts";

export interface WriteOptions {
  readonly client: Pick<Client, "get" | "update">;
  /** Asked right before each write; false ends the round, after the writes that have begun. */
  readonly mayWrite: () => boolean;
  readonly failed: (key: string, failure: ApiFailure) => void;
}

const atATime = 10;
const tries = 5;

/** Gives how many were written. What failed is reported, and left to the next round. `signal` cuts short what has begun. */
export async function writeAddresses(
  all: readonly Ingress[],
  addresses: Addresses,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<number> {
  const keys = all.map(keyOf).values();
  let written = 0;
  const work = async () => {
    for (const key of keys) {
      if (signal.aborted || !options.mayWrite()) return;
      if (await writeOne(key, addresses, options, signal)) written += 1;
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return written;
}

export const has = ({ status }: Ingress, addresses: Addresses) =>
  sameAddresses(status?.loadBalancer?.ingress ?? [], addresses);

async function writeOne(
  key: string,
  addresses: Addresses,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, mayWrite, failed } = options;
  for (let attempt = 1; ; attempt += 1) {
    const read = await client.get(ingresses, nameOf(key), signal);
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
