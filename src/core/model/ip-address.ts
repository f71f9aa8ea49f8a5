/** IP addresses as bytes, and their canonical spelling, which is also that of nginx. */
import { isIPv4, isIPv6 } from "node:net";

/** Returns the canonical spelling of an IP literal, without brackets and without a zone. */
export function canonical(address: string): string {
  const bare = address.replace(/%.*$/, "");
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? shortest(bare) : address;
}

/** Returns the 4 or 16 bytes of an IP literal; undefined for any text that is not one. */
export function bytesOfAddress(address: string): readonly number[] | undefined {
  if (isIPv4(address)) return address.split(".").map(Number);
  if (!isIPv6(address) || address.includes("%")) return undefined;
  const [before, after = []] = shortest(address)
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before!.length - after.length }, () => "0");
  return [...before!, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

/** Returns the canonical spelling of the address with these 4 or 16 bytes. */
export function addressOfBytes(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at]! << 8) | bytes[2 * at + 1]!).toString(16));
  return shortest(groups.join(":"));
}

function shortest(ipv6: string): string {
  return new URL(`http://[${ipv6}]/`).hostname.slice(1, -1);
}
