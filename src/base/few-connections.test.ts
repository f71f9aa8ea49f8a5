import { once } from "node:events";
import { Agent, createServer, get, type Server } from "node:http";
import { createServer as createTlsServer, get as getTls, Agent as TlsAgent } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { fakeCertificate } from "../core/certificates/fake.ts";
import { keepFew } from "./few-connections.ts";

const most = 5;

async function opened(server: Server): Promise<number> {
  keepFew(server, most);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function idle(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  return socket;
}

async function http() {
  const port = await opened(createServer((_, response) => void response.end("answer")));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return { port, ask: () => get({ port, host: "127.0.0.1", agent }), fresh: () => get({ port, host: "127.0.0.1" }) };
}

async function https() {
  const { chain: cert, key } = await fakeCertificate(new Date());
  const options = { cert, key: key.reveal() };
  const port = await opened(createTlsServer(options, (_, response) => void response.end("answer")));
  const agent = new TlsAgent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  onTestFinished(() => agent.destroy());
  const to = { port, host: "127.0.0.1", rejectUnauthorized: false };
  return { port, ask: () => getTls({ ...to, agent }), fresh: () => getTls({ ...to, agent: false }) };
}

test.each([
  ["HTTP", http],
  ["HTTPS", https],
])("over %s idle connections end, and those with requests and new ones are served", async (_, start) => {
  const { port, ask, fresh } = await start();
  const sockets = new Set<unknown>();
  const answered = async (asked: ReturnType<typeof get>) => {
    const [response] = await once(asked, "response");
    sockets.add(asked.socket);
    return text(response);
  };
  expect(await answered(ask())).toBe("answer");
  const all: Socket[] = [];
  for (let at = 0; at < 4 * most; at++) {
    all.push(await idle(port));
    expect(await answered(ask())).toBe("answer");
  }
  expect(sockets.size).toBe(1);
  await Promise.all(all.slice(0, -most).map((one) => one.closed || once(one, "close")));
  expect(all.filter((one) => !one.destroyed).length).toBe(most - 1);
  expect(await answered(fresh())).toBe("answer");
});
