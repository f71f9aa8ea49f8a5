import { once } from "node:events";
import { Agent, createServer, get } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

/** Starts a server that counts its requests, and answers after all that have arrived are known. */
async function counting() {
  const counts = { requests: 0 };
  const server = createServer(
    oneAtATime((_, response) => {
      counts.requests++;
      setImmediate(() => response.end("answer"));
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { counts, port: (server.address() as AddressInfo).port };
}

test("of requests that arrive together only the first one is started, and the connection ends", async () => {
  const { counts, port } = await counting();
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(500));
  await once(socket, "close");
  expect(counts.requests).toBe(1);
});

test("a connection serves many requests one after the other", async () => {
  const { counts, port } = await counting();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const sockets = new Set<unknown>();
  for (let at = 0; at < 50; at++) {
    const asked = get({ port, host: "127.0.0.1", agent });
    const [response] = await once(asked, "response");
    sockets.add(asked.socket);
    expect(await text(response)).toBe("answer");
  }
  expect([counts.requests, sockets.size]).toEqual([50, 1]);
});
