/**
 * The record of a key pair: a line with its fingerprint and the bytes of its chain, and then the
 * chain and the key in PEM. JSON would need two characters for the end of each line, and small
 * pairs would take twice the shared memory. decode.lua reads it.
 */
import type { Certificate } from "./certificate.ts";

export function pairRecord({ chain, key, fingerprint }: Pick<Certificate, "chain" | "key" | "fingerprint">): string {
  return `${fingerprint} ${Buffer.byteLength(chain)}\n${chain}${key.reveal()}`;
}

/** Returns what may be shown of the pair: everything but its key. */
export function shownOfPair(record: string): Pick<Certificate, "chain" | "fingerprint"> {
  const [head = ""] = record.split("\n", 1);
  const [fingerprint = "", bytes] = head.split(" ");
  const rest = Buffer.from(record.slice(head.length + 1));
  return { fingerprint, chain: rest.subarray(0, Number(bytes)).toString() };
}
