/**
 * Finds the addresses in rendered text and records to which nginx would connect, and judges them by
 * ranges that the tests have of their own.
 */
import { BlockList, isIP, isIPv6 } from "node:net";
import { ownAddresses, type Rendered } from "./on-paper.ts";

/** The ports of Sluice by the defaults of its flags. */
export const ownPorts = [10_254, 10_246, 8181, 10_245];

/** Returns the number of judged addresses, and the forbidden ones. */
export function judged({ conf, records }: Rendered): { readonly count: number; readonly mistakes: readonly string[] } {
  const variables = records.flatMap(({ locations = [] }) => locations.flatMap(({ variables = {} }) => [variables]));
  const urls = [
    ...[...conf.matchAll(/set \$(?:auth|mirror)_url ("(?:[^"\\]|\\.)*"|\S+);/g)].map(([, text]) =>
      text!.replace(/^"(.*)"$/, "$1"),
    ),
    ...variables.flatMap(({ auth_url, mirror_url }) => [auth_url, mirror_url].filter((text) => text !== undefined)),
  ];
  const peers = [
    ...[...conf.matchAll(/^\s*server ((?:\[[^\]]*\]|[\d.]+)[^\s;]*)/gm)].map(([, text]) => text!),
    ...records.flatMap(({ endpoints = [] }) => endpoints),
  ].filter((peer) => peer !== "0.0.0.1" && peer !== "127.0.0.1:8181");
  return {
    count: urls.length + peers.length,
    mistakes: [...urls.flatMap(mistakeOfUrl), ...peers.flatMap(mistakeOfPeer)],
  };
}

const refused = new BlockList();
for (const [network, bits] of [
  ...([
    ["0.0.0.0", 8],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["224.0.0.0", 4],
    ["100.100.100.200", 32],
  ] as const),
  ["255.255.255.255", 32] as const,
])
  refused.addSubnet(network, bits);
for (const [network, bits] of [
  ...([
    ["::", 127],
    ["fe80::", 10],
    ["ff00::", 8],
    ["2002:7f00::", 24],
    ["64:ff9b::7f00:0", 104],
  ] as const),
  ...([
    ["::7f00:0", 104],
    ["::ffff:7f00:0", 104],
    ["::ffff:a9fe:0", 112],
  ] as const),
])
  refused.addSubnet(network, bits, "ipv6");
const own = [...ownAddresses, "::ffff:c000:201"];

function mistakeOfPeer(peer: string): string[] {
  const [, host = "", at = "80"] = /^(.*?)(?::(\d+))?$/.exec(peer.startsWith("[") ? peer.replace("]", "") : peer) ?? [];
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(peer);
  const address = bracketed?.[1] ?? host;
  const number = Number(bracketed === null ? at : (bracketed[2] ?? "80"));
  if (isIP(address) === 0) return [`${peer} is no address`];
  const isRefused = refused.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  return isRefused || (own.includes(address) && ownPorts.includes(number)) ? [peer] : [];
}

function mistakeOfUrl(text: string): string[] {
  if (/^\$route_(auth|mirror)_url/.test(text)) return [];
  // A path and a query begin with / and ?, whatever a client sends.
  const authority = /^https?:\/\/((?:(?!\$\{?(?:request_uri|origin_form|all_args|more_args)\b)[^/?])+)/i.exec(
    text,
  )?.[1];
  if (authority === undefined) return [text];
  if (/^auth_[\da-f]{16}$/.test(authority)) return [];
  const [, host, number] = /^(.*)\.(\d+|\$\{server_port\})\.[to]\.sluice\.internal:\2$/.exec(authority) ?? [];
  if (host === undefined || number === undefined) return mistakeOfPeer(authority);
  const chosen = [...host.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!);
  return chosen.every((name) => ["named_host", "namespace", "server_name"].includes(name)) ? [] : [text];
}
