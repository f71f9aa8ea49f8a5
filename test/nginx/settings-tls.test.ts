/**
 * Tests keys about TLS by handshakes. Session tickets of the operator's key and DHE with the
 * operator's parameters are tested in `settings-live.test.ts`; protocols, ciphers, the session
 * cache and HTTP/2 in the corpus; HTTP/3 in `test/image`.
 */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Configured, host, ingress, service, startConfigured } from "./support/configured.ts";
import { heldBackend } from "./support/held-backend.ts";
import { installedNginx } from "./support/installed.ts";
import { until } from "./support/until.ts";

const port = 23_060;
const can = await installedNginx();
let it: Configured;

beforeAll(async () => {
  it = await startConfigured({ port });
});
afterAll(() => it.stop());

test("ssl-ecdh-curve lists the curves that nginx accepts", async () => {
  const spoken = async (curve: string) => (await it.ask({ scheme: "https", tls: { curve } })).status === 200;
  await it.set({ "ssl-ecdh-curve": "secp384r1" });
  expect([await spoken("secp384r1"), await spoken("prime256v1")]).toEqual([true, false]);
  await it.set({ "ssl-ecdh-curve": "auto" });
  expect(await spoken("prime256v1")).toBe(true);
});

test("ssl-session-timeout ends the life of a session", async () => {
  const tls = { version: "TLSv1_2", resume: true, resumeAfter: 2.5 } as const;
  const resumed = async () => (await it.ask({ scheme: "https", tls })).resumed;
  await it.set({ "ssl-session-timeout": "1s" });
  expect(await resumed()).toBe(false);
  await it.set({ "ssl-session-timeout": "5m" });
  expect(await resumed()).toBe(true);
});

/**
 * Sends bytes with `openssl s_client`, to the HTTPS port of nginx if `to` names no other. Returns
 * its output, and the headers that the backend saw, keyed by their names in lower case.
 */
async function sendByOpenssl(more: readonly string[], input: string, to = it.ports.https) {
  const address = ["-connect", `192.0.2.1:${to}`, "-servername", host, "-tls1_3", "-ign_eof"];
  const args = ["s_client", ...address, ...more];
  const { stdout } = await execa("openssl", args, { input, reject: false, timeout: 100_000 });
  const body = /^\{.*"headers":.*\}/m.exec(stdout)?.[0];
  return {
    printed: stdout,
    headers: body === undefined ? undefined : (JSON.parse(body) as { headers: object }).headers,
  };
}

test("ssl-early-data accepts a request before the end of the handshake, and a header tells the backend", async () => {
  const session = join(it.folder, "session");
  const early = join(it.folder, "early");
  const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`;
  writeFileSync(early, `${request}\r\n`);
  const slow = await proxyWithSlowFinish(it.ports.https);
  const sendEarly = async () => {
    await sendByOpenssl(["-sess_out", session], `${request}\r\n`);
    // The request is sent once more after the handshake, so that nginx also answers if it refuses
    // early data.
    return sendByOpenssl(["-sess_in", session, "-early_data", early], `${request}\r\n`, slow.port);
  };
  const isAccepted = (sent: { printed: string }) => sent.printed.includes("Early data was accepted");

  await it.set({ "ssl-early-data": "true" });
  // OpenSSL refuses early data when the client's and the server's clocks disagree on the age of the
  // ticket by more than a second, which the pauses of a busy machine cause.
  let taken = await sendEarly();
  for (let tries = 1; tries < 5 && !isAccepted(taken); tries++) taken = await sendEarly();
  expect(taken.printed).toContain("Early data was accepted");
  expect(taken.headers, taken.printed).toMatchObject({ "early-data": "1" });
  const plain = await sendByOpenssl([], `${request}\r\n`);
  expect(plain.headers).not.toHaveProperty("early-data");
  // A proxy in front received the request as early data.
  const fromAhead = await sendByOpenssl([], `${request}Early-Data: 1\r\n\r\n`);
  expect(fromAhead.headers).toMatchObject({ "early-data": "1" });

  await it.set({});
  expect(isAccepted(await sendEarly())).toBe(false);
});

test("ssl-buffer-size is the size of the largest record", async () => {
  const large = await heldBackend("192.0.2.89", port + 6);
  onTestFinished(large.stop);
  const objects = [...service("large", port + 6, ["192.0.2.89"]), ingress("large", "large.example", "large")];
  const largestRecord = async () => {
    const listening = await recordingProxy(it.ports.https);
    const asked = it.ask({ scheme: "https", host: "large.example", port: listening.port });
    await until("the request", () => large.held === 1);
    large.release("x".repeat(100_000));
    expect((await asked).status).toBe(200);
    return Math.max(...recordsIn(listening.received()));
  };
  // A record is as long as the buffer plus some bytes of its own, so nginx must read more than that
  // from the backend at once.
  const read = { "proxy-buffer-size": "64k" };
  await it.set({ ...read, "ssl-buffer-size": "8k" }, objects);
  expect(await largestRecord()).toBeCloseTo(8 * 1024, -3);
  await it.set(read, objects);
  expect(await largestRecord()).toBeCloseTo(4 * 1024, -3);
});

/** A TCP proxy in front of nginx that records the bytes of the answers. */
async function recordingProxy(to: number) {
  const chunks: Buffer[] = [];
  const { port } = await proxyInFront(to, (client, nginx) => {
    nginx.on("data", (chunk) => chunks.push(chunk));
    client.pipe(nginx);
  });
  return { port, received: () => Buffer.concat(chunks) };
}

/**
 * A TCP proxy in front of nginx that passes a client's first record of data, which is the early
 * data, and the rest a second later. If the end of the handshake arrives together with the early
 * data, nginx reads both at once, and the request no longer counts as early.
 */
async function proxyWithSlowFinish(to: number) {
  const dataRecord = 23;
  return proxyInFront(to, (client, nginx) => {
    let unsent = Buffer.alloc(0);
    let isHeld = false;
    client.on("data", (chunk) => {
      unsent = Buffer.concat([unsent, chunk]);
      while (!isHeld && unsent.length >= 5 && unsent.length >= 5 + unsent.readUInt16BE(3)) {
        const record = unsent.subarray(0, 5 + unsent.readUInt16BE(3));
        unsent = unsent.subarray(record.length);
        nginx.write(record);
        if (record[0] !== dataRecord) continue;
        isHeld = true;
        setTimeout(() => {
          nginx.write(unsent);
          unsent = Buffer.alloc(0);
          client.removeAllListeners("data").pipe(nginx);
        }, 1000);
      }
    });
  });
}

/** A TCP proxy in front of nginx whose `forward` passes what the client sends. */
async function proxyInFront(to: number, forward: (client: Socket, nginx: Socket) => void) {
  const server = createServer((client) => {
    const nginx = connect({ host: "192.0.2.1", port: to });
    nginx.pipe(client);
    forward(client, nginx);
    for (const socket of [client, nginx]) socket.on("error", () => {});
  });
  server.listen(0, "192.0.2.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port };
}

/** Returns the lengths of the TLS records. Each record begins with its type, version and length. */
function recordsIn(bytes: Buffer): readonly number[] {
  const lengths: number[] = [];
  for (let at = 0; at + 5 <= bytes.length; at += 5 + lengths.at(-1)!) lengths.push(bytes.readUInt16BE(at + 3));
  return lengths;
}

test("reuse-port gives each worker a socket of its own", async () => {
  const sockets = () => {
    const local = `:${it.ports.https.toString(16).toUpperCase().padStart(4, "0")} `;
    const lines = readFileSync("/proc/net/tcp", "utf8").split("\n");
    return lines.filter((line) => line.includes(local) && / 0A /.test(line)).length;
  };
  await it.set({ "worker-processes": "3" });
  expect(sockets()).toBe(3);
  await it.set({ "worker-processes": "3", "reuse-port": "false" });
  await until("one socket to be left", () => sockets() === 1);
  expect((await it.ask({ scheme: "https" })).status).toBe(200);
});

test("HTTP/3 is reported where nginx lacks it, and hosts are served without it", async ({ skip }) => {
  skip(can.http3, "nginx here has HTTP/3");
  await it.set({ "use-http3": "true", "http3-retry": "true" });
  await until("the Problem", () => it.problems().length > 0);
  expect(it.problems()).toContain("key use-http3 has no effect: nginx here has no HTTP/3");
  expect((await it.ask({ scheme: "https" })).status).toBe(200);
  expect(it.conf()).not.toMatch(/quic|Alt-Svc/);
});
