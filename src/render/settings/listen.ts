/**
 * The `listen` lines of a server: addresses and parameters. Parameters of the socket itself belong
 * to one server alone.
 */

import type { Capabilities } from "../../directives/capabilities.ts";
import type { Machine } from "../../directives/machine.ts";
import { Token } from "../../directives/token.ts";
import type { Settings } from "../../settings/registry.ts";

export interface Listener {
  readonly port: number;
  readonly tls: boolean;
  /** The catch-all server: it carries the parameters of the socket. */
  readonly catchAll: boolean;
  /** Behind the passthrough listener, which always sends the PROXY protocol. */
  readonly proxyProtocol?: boolean;
}

/** The value of each `listen` line. */
export function listenLines(
  settings: Settings,
  can: Capabilities,
  machine: Machine,
  { port, tls, catchAll, proxyProtocol = false }: Listener,
): readonly Token[] {
  const parameters = [
    ...(catchAll ? ["default_server"] : []),
    ...(catchAll && settings.reusePort ? ["reuseport"] : []),
    ...(catchAll ? [`backlog=${machine.backlog}`] : []),
    ...(proxyProtocol || settings.useProxyProtocol ? ["proxy_protocol"] : []),
    ...(tls ? ["ssl"] : []),
    ...(tls && settings.useHttp2 && can.http2 && !can.http2Directive ? ["http2"] : []),
  ];
  return addressesOf(settings, machine).map((address) =>
    Token.words([`${address}${port}`, ...parameters].map(Token.name)),
  );
}

/** `192.0.2.1:`, `[::]:` or nothing for all IPv4 addresses, ready for a port. */
export function addressesOf(settings: Settings, { ipv6 }: Machine): readonly string[] {
  const both = ipv6 && !settings.disableIpv6;
  const bound = [...settings.bindAddress, ...settings.bindAddressIpv4, ...settings.bindAddressIpv6];
  const v4 = bound.filter((address) => !address.includes(":")).map((address) => `${address}:`);
  const v6 = bound.filter((address) => address.includes(":")).map((address) => `[${address}]:`);
  return [...new Set([...(v4.length > 0 ? v4 : [""]), ...(both ? (v6.length > 0 ? v6 : ["[::]:"]) : [])])];
}
