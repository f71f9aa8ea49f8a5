/** The addresses between a first and a last one of the same family. */
import { addressOfBytes, bytesOfAddress } from "../../model/ip-address.ts";

/**
 * Returns the addresses in canonical spelling, at most `most` + 1 of them. Returns undefined if
 * the two do not form a range.
 */
export function addressesBetween(first: string, last: string, most: number): string[] | undefined {
  const [from, to] = [numberOf(first), numberOf(last)];
  if (from === undefined || to === undefined || from.bits !== to.bits || from.value > to.value) return undefined;
  const all: string[] = [];
  for (let value = from.value; value <= to.value && all.length <= most; value++) all.push(textOf(value, from.bits));
  return all;
}

interface Numbered {
  readonly value: bigint;
  /** 32 or 128. */
  readonly bits: number;
}

function numberOf(address: string): Numbered | undefined {
  const bytes = bytesOfAddress(address);
  if (bytes === undefined) return undefined;
  return { value: bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n), bits: 8 * bytes.length };
}

function textOf(value: bigint, bits: number): string {
  const byteAt = (at: number) => Number((value >> BigInt(bits - 8 - 8 * at)) & 255n);
  return addressOfBytes(Array.from({ length: bits / 8 }, (_, at) => byteAt(at)));
}
