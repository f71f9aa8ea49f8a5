/**
 * Renders the `listen` lines of a server: addresses and parameters. Parameters of the socket itself
 * belong to one server alone.
 */

import type { Settings } from "../../settings/registry.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token } from "../../tokens/token.ts";

export interface Listener {
  readonly port: number;
  readonly tls: boolean;
  /** The catch-all server, which has the parameters of the socket. */
  readonly catchAll: boolean;
  /**
   * Whether another socket has the port on one address. The kernel allows that only if all
   * sockets of the port have `reuseport`.
   */
  readonly isDivided?: boolean;
}

/** Returns the value of each `listen` line. */
export function listenLines(
  settings: Settings,
  can: Capabilities,
  machine: Machine,
  { port, tls, catchAll, isDivided = false }: Listener,
): readonly Token[] {
  const parameters = [
    ...(catchAll ? ["default_server", ...socketParameters(settings, machine, isDivided)] : []),
    ...(settings.useProxyProtocol ? ["proxy_protocol"] : []),
    ...(tls ? ["ssl"] : []),
    ...(tls && settings.useHttp2 && can.http2 && !can.http2Directive ? ["http2"] : []),
  ];
  return addressesOf(settings, machine).map((address) =>
    Token.words([`${address}${port}`, ...parameters].map(Token.name)),
  );
}

/** Returns the parameters of the socket of a usual port. */
export function socketParameters(
  { reusePort }: Settings,
  { backlog }: Pick<Machine, "backlog">,
  isDivided: boolean,
): readonly string[] {
  return [...(reusePort || isDivided ? ["reuseport"] : []), `backlog=${backlog}`];
}

/** Returns `192.0.2.1:`, `[::]:` or nothing for all IPv4 addresses; a port is added to each. */
export function addressesOf(settings: Settings, { ipv6 }: Machine): readonly string[] {
  const both = ipv6 && !settings.disableIpv6;
  const bound = [...settings.bindAddress, ...settings.bindAddressIpv4, ...settings.bindAddressIpv6];
  const v4 = bound.filter((address) => !address.includes(":")).map((address) => `${address}:`);
  const v6 = bound.filter((address) => address.includes(":")).map((address) => `[${address}]:`);
  return [...new Set([...(v4.length > 0 ? v4 : [""]), ...(both ? (v6.length > 0 ? v6 : ["[::]:"]) : [])])];
}
