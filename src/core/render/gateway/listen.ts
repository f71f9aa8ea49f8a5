/**
 * The addresses and ports on which nginx listens for Gateways. Only this part of a ListenerPort is
 * text.
 */

import type { ListenerPort } from "../../model/listeners.ts";
import type { Table } from "../../model/table.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token } from "../../tokens/token.ts";
import { listenLine } from "../conf/source-map.ts";
import { dataSlot, gatewaySlot, guardedSlot, portSlot, type Slot } from "../conf/text-servers.ts";
import { addressesOf } from "../settings/listen.ts";
import type { Fronts } from "../streams/fronts.ts";
import { type DividedPort, dividedPort } from "./divided-ports.ts";

/** The part of a ListenerPort that is text. */
export type ListenedPort = Pick<ListenerPort, "id" | "address" | "listenPort" | "port" | "tls" | "clients"> & {
  /** Absent if no listener of the port has a server block of its own. */
  readonly divided?: DividedPort;
};

/** Returns the text part of each ListenerPort, sorted by id. */
export function listenedOn(ports: Table<ListenerPort>): readonly ListenedPort[] {
  return [...ports.values()]
    .map((one) => {
      const { id, address, listenPort, port, tls, clients } = one;
      const divided = dividedPort(one);
      return {
        ...{ id, address, listenPort, port, tls },
        ...(clients === undefined ? {} : { clients }),
        ...(divided === undefined ? {} : { divided }),
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Whether it is one of the usual ports; the server of all data hosts then has the routes of its
 * listeners.
 */
export function isShared(
  { address, listenPort }: Pick<ListenerPort, "address" | "listenPort">,
  { ports }: Machine,
): boolean {
  return address === undefined && (listenPort === ports.http || listenPort === ports.https);
}

/** Returns the server that has the routes of the port's listeners without one of their own. */
export function slotOf(port: Omit<ListenedPort, "port" | "tls">, machine: Machine): Slot {
  if (port.divided !== undefined) return portSlot(port.id);
  if (port.clients !== undefined) return guardedSlot(port.clients.id);
  return isShared(port, machine) ? dataSlot : gatewaySlot;
}

/** Returns the slots of listeners, by the id of the listener. */
export function listenerSlots(ports: Table<ListenerPort>, machine: Machine): ReadonlyMap<string, Slot> {
  return new Map(
    [...ports.values()].flatMap((port) => {
      const divided = dividedPort(port);
      const rest = slotOf(divided === undefined ? port : { ...port, divided }, machine);
      const apart = new Map(divided?.servers.flatMap(({ slot, listeners }) => listeners.map((id) => [id, slot])));
      return port.listeners.map(({ id }) => [id, apart.get(id) ?? rest] as const);
    }),
  );
}

/**
 * Returns the values of the `listen` lines. They have no parameters of the socket. So nginx binds a
 * single socket for a port if some server listens on all addresses, and finds the address of a
 * connection when it arrives. Only if the stream module has that socket, an address has another
 * one. If several servers have a port, one of them `isFirst`.
 */
export function gatewayListenLines(
  ports: readonly ListenedPort[],
  settings: Settings,
  can: Capabilities,
  machine: Machine,
  fronts: Fronts,
  isFirst = true,
): readonly Token[] {
  return ports.flatMap((port) => {
    const { id, address, listenPort, tls } = port;
    const socket = fronts.socketOf(port);
    const isApart = address !== undefined && fronts.https && listenPort === machine.ports.https;
    const parameters = [
      ...(settings.useProxyProtocol || socket !== undefined ? ["proxy_protocol"] : []),
      ...(tls ? ["ssl"] : []),
      ...(tls && settings.useHttp2 && can.http2 && !can.http2Directive ? ["http2"] : []),
      ...(isFirst && isApart && socket === undefined ? ["reuseport"] : []),
    ].map(Token.name);
    if (socket !== undefined) return [listenLine(Token.words([Token.word(`unix:${socket}`), ...parameters]), id)];
    return gatewayAddresses(address, settings, machine).map((one) =>
      listenLine(Token.words([Token.name(`${one}${listenPort}`), ...parameters]), id),
    );
  });
}

/** Returns `192.0.2.1:` or `[2001:db8::1]:`, to which a port is added. */
export function gatewayAddresses(address: string | undefined, settings: Settings, machine: Machine): readonly string[] {
  return address === undefined ? allAddresses(settings, machine) : [bracketed(address)];
}

/**
 * Returns the words that stand for all addresses. nginx's error names the address of a busy port,
 * so it is part of the line.
 */
function allAddresses(settings: Settings, machine: Machine): readonly string[] {
  return addressesOf(settings, machine).map((address) => (address === "" ? "0.0.0.0:" : address));
}

/** Returns an address with the colon before the port. */
export function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]:` : `${address}:`;
}
