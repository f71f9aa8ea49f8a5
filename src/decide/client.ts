/** Finds the ranges that an address is in, by the rules of nginx's allow and deny. */
import { BlockList, isIP } from "node:net";

const family = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");

/**
 * Whether one of the ranges has the address. `ranges` are addresses, `192.0.2.0/24`, or `all`. An
 * IPv4 address that is written as IPv6 counts as IPv4.
 */
export function isAmong(address: string, ranges: readonly string[]): boolean {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return ranges.some((range) => {
    if (range === "all") return true;
    const [network = "", bits] = range.split("/");
    if (family(network) !== family(plain)) return false;
    const list = new BlockList();
    if (bits === undefined) list.addAddress(network, family(network));
    else list.addSubnet(network, Number(bits), family(network));
    return list.check(plain, family(plain));
  });
}
