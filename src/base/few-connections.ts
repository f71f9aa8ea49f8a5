/**
 * Limits the connections of the controller's small servers, each of which takes memory, and ends
 * those of slow clients. Beyond the limit the connection without a request for the longest time
 * ends, and never the new one: kubelet restarts a controller whose health check is refused.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { callback } from "./callbacks.ts";

/** The API servers of a cluster may send some hundred reviews at a time. */
const mostConnections = 1000;

/** The most time for slow clients. Node itself waits two minutes for a handshake. */
export const patience = {
  handshakeTimeout: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
};

/** Serves HTTP and HTTPS, whose requests have other sockets than their connections. */
export function keepFew(server: Pick<Server, "on">, most = mostConnections): void {
  /** The one without a request for the longest time is the first. */
  const open = new Map<string, Socket>();
  server.on(
    "connection",
    callback("the limit of connections", (socket: Socket) => {
      const client = clientOf(socket);
      open.set(client, socket);
      socket.once(
        "close",
        callback("the limit of connections", () => {
          if (open.get(client) === socket) open.delete(client);
        }),
      );
      if (open.size <= most) return;
      const [idle] = open.values();
      idle?.destroy();
    }),
  );
  server.on(
    "request",
    callback("the limit of connections", ({ socket }: IncomingMessage) => {
      const client = clientOf(socket);
      const connection = open.get(client);
      if (connection === undefined) return;
      open.delete(client);
      open.set(client, connection);
    }),
  );
}

const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
