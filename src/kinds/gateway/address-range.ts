/** The addresses between a first and a last one of the same family. */
import { isIPv4, isIPv6 } from "node:net";
import { canonical } from "../asked.ts";

/**
 * Returns the addresses in canonical spelling, at most `most` + 1 of them. Returns undefined where
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
  readonly bits: 32 | 128;
}

function numberOf(address: string): Numbered | undefined {
  if (isIPv4(address)) {
    const value = address.split(".").reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    return { value, bits: 32 };
  }
  if (!isIPv6(address) || address.includes("%")) return undefined;
  const [before = "", after] = canonical(address).split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [head, tail] = [groups(before), groups(after ?? "")];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  const all = [...head, ...zeros, ...tail];
  return { value: all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n), bits: 128 };
}

function textOf(value: bigint, bits: 32 | 128): string {
  const [size, count] = bits === 32 ? [8n, 4] : [16n, 8];
  const parts = Array.from(
    { length: count },
    (_, at) => (value >> (size * BigInt(count - 1 - at))) & ((1n << size) - 1n),
  );
  return bits === 32 ? parts.join(".") : canonical(parts.map((part) => part.toString(16)).join(":"));
}
