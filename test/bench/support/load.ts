/**
 * Load: so many connections at once, each with one request in flight. What is measured is the server's CPU, so the speed of
 * this client does not matter; it speaks just enough HTTP to know where an answer ends.
 */
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export type Protocol = "http" | "https" | "h2";

export interface Load {
  readonly protocol: Protocol;
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
  /** The host of each request; requests go through them in turn. */
  readonly hosts: readonly string[];
}

/** Resolves when every request was answered with 200; rejects otherwise. */
export async function run(load: Load): Promise<void> {
  const turn = { next: 0 };
  const one = load.protocol === "h2" ? overHttp2 : overHttp1;
  await Promise.all(Array.from({ length: load.connections }, () => one(load, turn)));
}

const ending = Buffer.from("\r\n\r\n");

function overHttp1(load: Load, turn: { next: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket: Socket =
    load.protocol === "https"
      ? connectTls({ port: load.port, host: "127.0.0.1", servername: load.hosts[0]!, rejectUnauthorized: false })
      : connect(load.port, "127.0.0.1");
  socket.setNoDelay(true);
  let received = Buffer.alloc(0);
  const ask = (): void => {
    if (turn.next >= load.requests) {
      socket.end();
      resolve();
      return;
    }
    const host = load.hosts[turn.next++ % load.hosts.length];
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n`);
  };
  socket.once(load.protocol === "https" ? "secureConnect" : "connect", ask);
  socket.on("data", (data) => {
    received = received.length === 0 ? data : Buffer.concat([received, data]);
    const head = received.indexOf(ending);
    if (head < 0) return;
    const text = received.toString("latin1", 0, head);
    const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
    if (received.length < head + 4 + length) return;
    if (!text.startsWith("HTTP/1.1 200")) return reject(new Error(text));
    received = Buffer.alloc(0);
    ask();
  });
  socket.once("error", reject);
  socket.once("close", () => reject(new Error("the connection was closed")));
  return promise;
}

function overHttp2(load: Load, turn: { next: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const session = connectHttp2(`https://127.0.0.1:${load.port}`, {
    servername: load.hosts[0]!,
    rejectUnauthorized: false,
  });
  session.once("error", reject);
  const ask = (): void => {
    if (turn.next >= load.requests) {
      session.close(resolve);
      return;
    }
    const host = load.hosts[turn.next++ % load.hosts.length]!;
    const stream = session.request({ ":path": "/", ":authority": host, "user-agent": "bench", accept: "*/*" });
    stream.once("response", (headers) => {
      if (headers[":status"] !== 200) reject(new Error(JSON.stringify(headers)));
    });
    stream.once("error", reject);
    stream.once("end", ask);
    stream.resume();
  };
  ask();
  return promise;
}
