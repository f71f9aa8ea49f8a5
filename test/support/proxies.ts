/** Proxies in front of an API server, for kubeconfigs with a `proxy-url`. */
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer as createTcpServer, type Server, type Socket } from "node:net";

/** A proxy that adds the address of each connection to `seen`. */
export type Proxy = (seen: string[]) => Server;

const joined = (one: Socket, other: Socket) => {
  for (const socket of [one, other]) socket.on("error", () => {});
  one.pipe(other).pipe(one);
};

/** A proxy that answers CONNECT (RFC 9110, 9.3.6). */
export const httpProxy: Proxy = (seen) =>
  createHttpServer().on("connect", ({ url = "" }, socket: Socket) => {
    seen.push(url);
    const [host = "", port] = url.split(":");
    const onward = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      joined(socket, onward);
    });
  });

/** A proxy for SOCKS 5 without a password (RFC 1928), for IPv4 addresses. */
export const socksProxy: Proxy = (seen) =>
  createTcpServer(async (socket) => {
    await once(socket, "data");
    socket.write(Uint8Array.of(5, 0));
    const [request] = (await once(socket, "data")) as [Buffer];
    const [host, port] = [request.subarray(4, 8).join("."), request.readUInt16BE(8)];
    seen.push(`${host}:${port}`);
    const onward = connect(port, host, () => {
      socket.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
      joined(socket, onward);
    });
  });
