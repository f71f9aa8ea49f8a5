/**
 * Decides which addresses nginx and the controller may connect to. Annotations, EndpointSlices, DNS
 * answers and certificates of tenants name such addresses. None may lead to this machine, to
 * link-local addresses, or to a port of Sluice's own. The check compares bytes and not texts,
 * because `0x7f.1`, `2130706433` and `::ffff:127.0.0.1` all mean 127.0.0.1.
 */
import { isIPv4, isIPv6 } from "node:net";
import { addressOfBytes, bytesOfAddress, canonical } from "../model/ip-address.ts";

/** Exceptions for this controller. */
export interface AskedPolicy {
  /** Whether backends run on this machine, as with `sluice serve`. */
  readonly loopback: boolean;
  /** Ports of this machine that the operator allows (--allowed-loopback-ports). */
  readonly loopbackPorts: ReadonlySet<number>;
  /**
   * Ports on which Sluice itself listens: control, status, health, the webhook. They are never
   * allowed.
   */
  readonly ownPorts: ReadonlySet<number>;
  /** Addresses of this machine, as `canonical` writes them. */
  readonly ownAddresses: ReadonlySet<string>;
}

export const strictPolicy: AskedPolicy = {
  loopback: false,
  loopbackPorts: new Set(),
  ownPorts: new Set(),
  ownAddresses: new Set(),
};

/**
 * Returns the policy for settings of the operator, who also writes the flags: this machine is
 * allowed.
 */
export const forOperator = (policy: AskedPolicy): AskedPolicy => ({ ...policy, loopback: true });

type Meaning = "loopback" | "unspecified" | "link-local" | "multicast" | "broadcast" | "metadata";

/**
 * All refused ranges. Some metadata services, which hand out keys of the machine, are not
 * link-local.
 */
const refusedRanges: readonly (readonly [range: string, meaning: Meaning])[] = [
  ["0.0.0.0/8", "unspecified"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["224.0.0.0/4", "multicast"],
  ["255.255.255.255/32", "broadcast"],
  ["100.100.100.200/32", "metadata"],
  ["168.63.129.16/32", "metadata"],
  ["192.0.0.192/32", "metadata"],
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["fe80::/10", "link-local"],
  ["ff00::/8", "multicast"],
  ["fd00:ec2::254/128", "metadata"],
  ["fd20:ce::254/128", "metadata"],
];

/** IPv6 ranges whose addresses contain an IPv4 address, with the positions of its four bytes. */
const embedding: readonly (readonly [range: string, ...bytes: readonly [number, number, number, number]])[] = [
  ["::/96", 12, 13, 14, 15],
  ["::ffff:0:0/96", 12, 13, 14, 15],
  ["::ffff:0:0:0/96", 12, 13, 14, 15],
  ["64:ff9b::/96", 12, 13, 14, 15],
  ["64:ff9b:1::/48", 6, 7, 9, 10],
  ["64:ff9b:1::/48", 12, 13, 14, 15],
  ["2002::/16", 2, 3, 4, 5],
];

const ranges = refusedRanges.map(([range, meaning]) => ({ ...bytesOfRange(range), meaning }));
const embeddings = embedding.map(([range, ...at]) => ({ ...bytesOfRange(range), at }));
/**
 * First bytes of refused IPv4 addresses. Nearly all of ten thousand endpoints pass this quick test.
 */
const suspicious = new Set(
  ranges.flatMap(({ bytes, bits }) =>
    bytes.length === 4 ? Array.from({ length: bits < 8 ? 2 ** (8 - bits) : 1 }, (_, at) => bytes[0]! + at) : [],
  ),
);

/**
 * Returns why connecting to `address`, an IP literal without brackets, on `port` is not allowed;
 * undefined if it is.
 */
export function whyNotAsked(address: string, port: number, policy: AskedPolicy): string | undefined {
  const mayBeOwn = policy.ownPorts.has(port);
  if (isIPv4(address) && !mayBeOwn && !suspicious.has(Number.parseInt(address, 10))) return undefined;
  const bytes = bytesOfAddress(address);
  return bytes === undefined ? `${address} is not an address` : whyNotBytes(bytes, port, policy);
}

function whyNotBytes(bytes: readonly number[], port: number, policy: AskedPolicy): string | undefined {
  const address = addressOfBytes(bytes);
  const meaning = ranges.find((range) => isWithin(bytes, range))?.meaning;
  const here = meaning === "loopback" || meaning === "unspecified" || policy.ownAddresses.has(address);
  if (here && policy.ownPorts.has(port)) return `${address} port ${port} is Sluice's own`;
  if (meaning === "loopback" && !policy.loopback && !policy.loopbackPorts.has(port))
    return `${address} is this machine itself (--allowed-loopback-ports allows ports of it)`;
  if (meaning === "unspecified") return `${address} is this machine itself`;
  if (meaning === "metadata") return `${address} is a metadata service`;
  if (meaning !== undefined && meaning !== "loopback") return `${address} is a ${meaning} address`;
  for (const range of embeddings) {
    // The first of these ranges also holds `::` and `::1`, which were checked above.
    if (!isWithin(bytes, range) || meaning !== undefined) continue;
    const why = whyNotBytes(
      range.at.map((at) => bytes[at]!),
      port,
      policy,
    );
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Names of this machine. */
const ownNames = /(^|\.)localhost$|^localhost\.localdomain$|^ip6-(localhost|loopback)$/;

/**
 * Returns why connecting to `host`, as a URL names it, on `port` is not allowed. A name that passes
 * is checked again when its addresses are known; an address, in any spelling, needs no second
 * check.
 */
export function whyNotHost(host: string, port: number, policy: AskedPolicy): string | undefined {
  const name = bareHost(host);
  const address = literalIn(name);
  if (address !== undefined) return whyNotAsked(address, port, policy);
  if (/(^|\.)(\d+|0x[\da-f]*)$/.test(name)) return `${name} is neither a name nor an address`;
  if (ownNames.test(name)) return whyNotAsked("127.0.0.1", port, policy);
  if (name === "unix") return "a unix socket is not asked";
  if (/^[^.]*_[^.]*$/.test(name)) return `${name} is a name of nginx's own blocks and not of a host`;
  return undefined;
}

/**
 * Returns the host in lower case, without brackets and without the dots at the end of a fully
 * qualified name.
 */
function bareHost(host: string): string {
  let end = host.length;
  while (end > 0 && host[end - 1] === ".") end--;
  return host
    .slice(0, end)
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1");
}

/**
 * Returns the canonical address if `host` is an address, in any spelling that resolvers accept
 * (`127.1`, `0x7f000001`).
 */
export function literalIn(host: string): string | undefined {
  const bare = bareHost(host);
  if (isIPv4(bare)) return bare;
  if (isIPv6(bare)) return canonical(bare);
  if (!/^[\da-fx.]{1,64}$/.test(bare) || !/(^|\.)(\d+|0x[\da-f]*)$/.test(bare)) return undefined;
  const url = URL.parse(`http://${bare}/`);
  return url !== null && isIPv4(url.hostname) ? url.hostname : undefined;
}

interface ByteRange {
  readonly bytes: readonly number[];
  readonly bits: number;
}

function bytesOfRange(range: string): ByteRange {
  const [address = "", bits = ""] = range.split("/");
  return { bytes: bytesOfAddress(address)!, bits: Number(bits) };
}

function isWithin(bytes: readonly number[], range: ByteRange): boolean {
  if (bytes.length !== range.bytes.length) return false;
  const whole = range.bits >> 3;
  for (let at = 0; at < whole; at++) if (bytes[at] !== range.bytes[at]) return false;
  const rest = range.bits & 7;
  return rest === 0 || bytes[whole]! >> (8 - rest) === range.bytes[whole]! >> (8 - rest);
}
