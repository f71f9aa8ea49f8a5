/**
 * Ends connections on which a client sends a request before it can have the answer to the one
 * before. Node starts all requests that arrive together, some thousand in one read, so one packet
 * could otherwise keep the controller busy for minutes and fill its memory. kubelet, Prometheus and
 * the API server never do this.
 */
import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export function oneAtATime(listener: RequestListener): RequestListener {
  const latest = new WeakMap<Socket, ServerResponse>();
  return (request, response) => {
    const { socket } = request;
    const before = latest.get(socket);
    if (before !== undefined && !before.writableEnded) return void socket.destroy();
    latest.set(socket, response);
    listener(request, response);
  };
}
