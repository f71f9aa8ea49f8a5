/** Kinds for IP addresses, ranges of them, host names and URLs. */
import { isIPv4, isIPv6 } from "node:net";
import { Token } from "../tokens/token.ts";
import { itemsIn, type Kind, longestText, no, ok, readEach, shown, tooManyItems } from "./kind.ts";

const ipv6 = (text: string) => isIPv6(text) && !text.includes("%");

/**
 * Whether `text` is an address or a range of them: `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`.
 */
function isRange(text: string): boolean {
  const [, address = "", bits = "0"] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  return isIPv4(address) ? Number(bits) <= 32 : ipv6(address) && Number(bits) <= 128;
}

/** Whether `address` leads to this machine and cannot be reached from elsewhere. */
export function isLoopback(address: string): boolean {
  const bare = address.replace(/^::ffff:/, "");
  return (isIPv4(bare) && bare.startsWith("127.")) || address === "::1";
}

/**
 * An address, or a range in CIDR form; nginx ignores the host bits, as ingress-nginx does
 * (RS-32.36).
 */
export const range: Kind<string> = {
  label: "an IP address or a range like 192.0.2.0/24",
  read: (text) =>
    isRange(text) ? ok(text) : no(`${shown(text)} is neither an IP address nor a range like 192.0.2.0/24`),
  view: Token.name,
};

/**
 * Ranges separated by commas, none of them empty; one of IPv4 addresses written as IPv6 is the IPv4
 * range (RS-32.36).
 */
export const rangeList: Kind<readonly string[]> = {
  label: `a comma-separated list, each ${range.label}`,
  longest: longestText,
  read: (text) => {
    const parts = itemsIn(text);
    if (parts === undefined) return no(tooManyItems);
    const read = readEach(range, parts);
    if (read.ok) return ok(parts.map(unmapped));
    if (parts.length === 1 || !parts.includes("")) return read;
    const where = parts.at(-1) === "" ? "ends with a comma" : "has two commas with nothing between them";
    return no(`the list ${where}, and an empty item is no range`);
  },
  write: (values) => values.join(","),
  view: (values) => values.map(Token.name),
};

/**
 * Returns `::ffff:192.0.2.0/120` as `192.0.2.0/24`, because nginx compares an IPv4 client with IPv4
 * ranges only.
 */
function unmapped(text: string): string {
  const [address = "", bits = "128"] = text.split("/");
  if (isIPv4(address) || Number(bits) < 96) return text;
  const groups = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(new URL(`http://[${address}]`).host);
  if (groups === null) return text;
  const bytes = groups.slice(1).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return `${bytes.join(".")}/${Number(bits) - 96}`;
}

const literal = (family: string, test: (text: string) => boolean): Kind<string> => ({
  label: `an ${family} address`,
  read: (text) => (test(text) ? ok(text) : no(`${shown(text)} is not an ${family} address`)),
  view: (value) => Token.name(isIPv6(value) ? `[${value}]` : value),
});

export const ipAddress = literal("IP", (text) => isIPv4(text) || ipv6(text));
export const ipv4Address = literal("IPv4", isIPv4);
/** Read with or without brackets, and kept without. */
export const ipv6Address: Kind<string> = {
  ...literal("IPv6", ipv6),
  read: (text) => {
    const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
    return ipv6(bare) ? ok(bare) : no(`${shown(text)} is not an IPv6 address`);
  },
};

const hostName = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,62})(\.[a-z\d_][a-z\d_-]{0,62})*\.?$/i;

/** Whether `text` names a host: a DNS name or an IP address, IPv6 with or without brackets. */
export function isHost(text: string): boolean {
  return isIPv4(text) || ipv6(text.replace(/^\[(.*)\]$/, "$1")) || (hostName.test(text) && !/^[\d.]+$/.test(text));
}

export const host: Kind<string> = {
  label: "a host name or IP address",
  read: (text) => (isHost(text) ? ok(text) : no(`${shown(text)} is neither a host name nor an IP address`)),
  view: (value) => Token.name(ipv6(value) ? `[${value}]` : value),
};

/** A TCP or UDP port. */
export const port: Kind<number> = {
  label: "a port from 1 to 65535",
  read: (text) => {
    const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    return value >= 1 && value <= 65_535 ? ok(value) : no(`${shown(text)} is not a port from 1 to 65535`);
  },
  view: Token.count,
};
