/**
 * Keeps a websocket and a long download open while endpoints, routes and certificates change and
 * nginx reloads. Neither is cut, and all other requests are answered.
 */
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Ingress, KubernetesObject } from "../../src/core/model/objects.ts";
import type { Mode } from "../parity/subject.ts";
import { request } from "./support/request.ts";
import { ingress, service } from "./support/shop.ts";
import { type ShopSubject, startShop } from "./support/shop-subject.ts";
import { until } from "./support/until.ts";

/** The backend of the long connections, and two that answer at once. */
const [longAddress, ...quick] = ["192.0.2.78", "192.0.2.79", "192.0.2.80"] as const;
let backend: Server;
let tick: NodeJS.Timeout;
/** The downloads that are still open. */
const sending = new Set<(line: string | undefined) => void>();

/**
 * Echoes what arrives over an upgraded connection; sends a line of a download every 20 ms until
 * `/end` is requested.
 */
beforeAll(async () => {
  let going = true;
  tick = setInterval(() => {
    for (const send of sending) send(going ? "line\n" : undefined);
  }, 20);
  backend = createServer((asked, answer) => {
    if (asked.url === "/begin" || asked.url === "/end") {
      going = asked.url === "/begin";
      answer.end();
      return;
    }
    const send = (line: string | undefined) => void (line === undefined ? answer.end("last\n") : answer.write(line));
    sending.add(send);
    answer.on("close", () => sending.delete(send));
  });
  backend.on("upgrade", (_asked, socket: Socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    socket.pipe(socket);
  });
  backend.listen(8080, longAddress);
  await once(backend, "listening");
});
afterAll(async () => {
  clearInterval(tick);
  backend.close();
  backend.closeAllConnections();
});

interface OpenSocket {
  /** Sends a word and waits until it comes back. */
  say(word: string): Promise<void>;
  end(): void;
}

async function openSocket(to: string, host: string): Promise<OpenSocket> {
  const [address = "", port] = to.split(":");
  const socket = connect(Number(port), address);
  let received = "";
  let cut = false;
  socket.on("data", (data) => (received += data)).on("close", () => (cut = true));
  socket.write(`GET /socket HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
  const arrived = (text: string) =>
    until(text, () => {
      if (cut) throw new Error(`the connection was cut before ${text}`);
      return received.includes(text);
    });
  await arrived("\r\n\r\n");
  expect(received).toMatch(/^HTTP\/1.1 101 /);
  return {
    say: async (word) => {
      socket.write(`${word};`);
      await arrived(`${word};`);
    },
    end: () => socket.destroy(),
  };
}

function secured(subject: ShopSubject, pair: "tls" | "alt"): KubernetesObject[] {
  const { certificate, key } = subject.pki[pair];
  const encoded = (text: string) => Buffer.from(text).toString("base64");
  const data = { "tls.crt": encoded(certificate), "tls.key": encoded(key) };
  const metadata = { name: "pair", namespace: "ns" };
  const plain = ingress("long", "alt.example", "long");
  return [
    { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata, data } as unknown as KubernetesObject,
    { ...plain, spec: { ...plain.spec, tls: [{ secretName: "pair" }] } } as Ingress,
  ];
}

test.each([
  ["dynamic", 8341],
  ["static", 8346],
] as const)("in %s mode no open connection is cut", async (mode: Mode, first) => {
  const long = service("long", [longAddress]);
  const objects = [...long, ...service("web", [quick[0]]), ingress("web", "web.example", "web")];
  const subject = await startShop(
    first,
    quick,
    [...objects, ingress("long", "alt.example", "long", { "ssl-redirect": "false" })],
    mode,
  );
  onTestFinished(() => subject.stop());
  const { to } = subject;
  await request({ to, host: "alt.example", path: "/begin" });
  const socket = await openSocket(to, "alt.example");
  const download = request({ to, host: "alt.example", path: "/download" });
  await until("the download to begin", () => sending.size === 1);
  const changes: Readonly<Record<string, readonly KubernetesObject[]>> = {
    endpoints: service("web", [quick[1]]),
    "its own endpoints": service("long", [longAddress, quick[0]]),
    route: [ingress("web", "web.example", "long")],
    "route back": [ingress("web", "web.example", "web")],
    certificate: secured(subject, "alt"),
    "renewed certificate": secured(subject, "tls"),
    "location setting": [ingress("web", "web.example", "web", { "client-body-buffer-size": "77k" })],
    "another location setting": [ingress("web", "web.example", "web", { "client-body-buffer-size": "78k" })],
  };
  for (const [what, objects] of Object.entries(changes)) {
    await subject.apply(objects);
    await subject.settled();
    await socket.say(what);
    if (what !== "route") expect((await request({ to, host: "web.example" })).status, what).toBe(200);
  }
  await subject.apply(service("long", [longAddress]));
  await subject.apply([ingress("long", "alt.example", "long", { "ssl-redirect": "false" })]);
  await subject.settled();
  await request({ to, host: "alt.example", path: "/end" });
  const { status, body } = await download;
  expect(status).toBe(200);
  expect(body).toMatch(/^(line\n)+last\n$/);
  await socket.say("goodbye");
  socket.end();
});

/**
 * Begins a POST and returns when nginx has routed it and reads its body. The second half of the
 * body is sent later.
 */
async function beginUpload(to: string, host: string) {
  const [address = "", port] = to.split(":");
  const headers = { host, "content-length": 4, expect: "100-continue" };
  const upload = httpRequest({ host: address, port, method: "POST", headers });
  const answered = once(upload, "response") as Promise<[IncomingMessage]>;
  upload.flushHeaders();
  await once(upload, "continue");
  upload.write("ab");
  return {
    end: async () => {
      upload.end("cd");
      const [answer] = await answered;
      return { status: answer.statusCode, body: await text(answer) };
    },
  };
}

test.each([
  ["dynamic", 8351],
  ["static", 8356],
] as const)("in %s mode an upload goes where its route led when it began", async (mode: Mode, first) => {
  const objects = [
    ...service("web", [quick[0]]),
    ...service("other", [quick[1]]),
    ingress("web", "web.example", "web"),
  ];
  const subject = await startShop(first, quick, objects, mode);
  onTestFinished(() => subject.stop());
  const { to } = subject;
  const upload = await beginUpload(to, "web.example");
  const others = [
    ingress("web", "web.example", "other"),
    ingress("web", "web.example", "other", { affinity: "cookie" }),
  ];
  for (const other of others) {
    await subject.apply([other]);
    await subject.settled();
    expect((await request({ to, host: "web.example" })).status).toBe(200);
  }
  const { status, body } = await upload.end();
  expect(status).toBe(200);
  expect(body).toContain(quick[0]);
});

test("an upload whose endpoints are all gone when its body has arrived gets 502", async () => {
  const subject = await startShop(8366, quick, [...service("web", [quick[0]]), ingress("web", "web.example", "web")]);
  onTestFinished(() => subject.stop());
  const upload = await beginUpload(subject.to, "web.example");
  await subject.apply(service("web", []));
  await subject.settled();
  expect((await request({ to: subject.to, host: "web.example" })).status).toBe(503);
  expect((await upload.end()).status).toBe(502);
});
