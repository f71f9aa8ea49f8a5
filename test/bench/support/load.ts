/**
 * Load: a number of connections, each with one request in flight. The server's CPU is measured, so
 * the speed of this client does not matter; it knows just enough HTTP to find the end of an answer.
 */
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export type Protocol = "http" | "https" | "h2";

export interface Listener {
  readonly protocol: Protocol;
  readonly port: number;
  /** The host of each request; requests go through them in turn. */
  readonly hosts: readonly string[];
}

export interface Load {
  /** Resolves when this many requests were answered with 200; rejects otherwise. */
  run(requests: number): Promise<void>;
  close(): void;
}

/** One open connection. `ask` requests a host, and resolves when the answer has status 200. */
interface Connection {
  ask(host: string): Promise<void>;
  close(): void;
}

/** Resolves when all connections are open. They stay so from run to run. */
export async function openLoad({ protocol, port, hosts }: Listener, connections: number): Promise<Load> {
  const open = protocol === "h2" ? overHttp2 : overHttp1;
  const opened = await Promise.all(Array.from({ length: connections }, () => open(protocol, port, hosts[0]!)));
  let next = 0;
  return {
    run: async (requests) => {
      const last = next + requests;
      const askAll = async (connection: Connection): Promise<void> => {
        while (next < last) await connection.ask(hosts[next++ % hosts.length]!);
      };
      await Promise.all(opened.map(askAll));
    },
    close: () => {
      for (const connection of opened) connection.close();
    },
  };
}

const ending = Buffer.from("\r\n\r\n");

async function overHttp1(protocol: Protocol, port: number, servername: string): Promise<Connection> {
  const to = { port, host: "127.0.0.1" };
  const socket: Socket =
    protocol === "https" ? connectTls({ ...to, servername, rejectUnauthorized: false }) : connect(to);
  await once(socket, protocol === "https" ? "secureConnect" : "connect");
  socket.setNoDelay(true);
  let received = Buffer.alloc(0);
  let asked = Promise.withResolvers<void>();
  socket.on("data", (data) => {
    received = received.length === 0 ? data : Buffer.concat([received, data]);
    const head = received.indexOf(ending);
    if (head < 0) return;
    const text = received.toString("latin1", 0, head);
    const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
    if (received.length < head + 4 + length) return;
    received = Buffer.alloc(0);
    if (text.startsWith("HTTP/1.1 200")) asked.resolve();
    else asked.reject(new Error(text));
  });
  socket.once("error", (error) => asked.reject(error));
  socket.once("close", () => asked.reject(new Error("the connection was closed")));
  return {
    ask: (host) => {
      asked = Promise.withResolvers();
      // The server may have closed the connection after its last answer.
      if (socket.destroyed) asked.reject(new Error("the connection was closed"));
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n`);
      return asked.promise;
    },
    close: () => socket.destroy(),
  };
}

async function overHttp2(_protocol: Protocol, port: number, servername: string): Promise<Connection> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { servername, rejectUnauthorized: false });
  await once(session, "connect");
  return {
    ask: (host) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const stream = session.request({ ":path": "/", ":authority": host, "user-agent": "bench", accept: "*/*" });
      stream.once("response", (headers) => {
        if (headers[":status"] !== 200) reject(new Error(JSON.stringify(headers)));
      });
      stream.once("error", reject);
      stream.once("end", resolve);
      stream.resume();
      return promise;
    },
    close: () => session.destroy(),
  };
}
