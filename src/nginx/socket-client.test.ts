import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Pass } from "./pass.ts";
import { SocketClient } from "./socket-client.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Starts a server that does `work` with each connection once the head of a request has arrived. */
async function serverThat(work: (socket: Socket) => void): Promise<SocketClient> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-socket-"));
  const socketPath = join(folder, "s");
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => work(socket));
  }).listen(socketPath);
  await once(server, "listening");
  const client = new SocketClient({
    socketPath,
    pass: await Pass.issue(join(folder, "pass")),
    connections: 1,
    mostBytes: 10_000,
  });
  closers.push(
    () => client.close(),
    () => server.close(),
    () => rmSync(folder, { recursive: true }),
  );
  return client;
}

const head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";

test.each([
  ["before the answer", (socket: Socket) => socket.destroy()],
  ["in the head of the answer", (socket: Socket) => socket.end(head.slice(0, 20))],
  ["in the body of the answer", (socket: Socket) => socket.end(`${head}ten bytes.`)],
  ["after a piece of the body", (socket: Socket) => socket.write(`${head}ten bytes.`, () => socket.destroy())],
])("a connection that nginx closes %s rejects the request, and nothing else", async (_, work) => {
  const client = await serverThat(work);
  // A body that is larger than the socket's buffer is still being written when the connection ends.
  for (const body of [undefined, "x".repeat(4_000_000)]) {
    await expect(client.send({ path: "/", body, signal: AbortSignal.timeout(5_000) })).rejects.toThrow();
  }
});

test("a request that is aborted, and a client that is closed, reject what is under way", async () => {
  const client = await serverThat(() => {});
  const aborted = client.send({ path: "/", signal: AbortSignal.timeout(20) });
  await expect(aborted).rejects.toThrow("aborted");
  const underWay = client.send({ path: "/", signal: AbortSignal.timeout(5_000) });
  setTimeout(() => client.close(), 20);
  await expect(underWay).rejects.toThrow();
});

test("an answer above the bound rejects", async () => {
  const body = "x".repeat(10_001);
  const client = await serverThat((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  );
  await expect(client.send({ path: "/", signal: AbortSignal.timeout(5_000) })).rejects.toThrow("more than 10000 bytes");
});
