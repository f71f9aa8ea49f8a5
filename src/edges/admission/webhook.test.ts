import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { connect as connectPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { base, ingress, put } from "../../../test/support/sketch.ts";
import { fakeCertificate } from "../../core/certificates/fake.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { openKeyPairFiles } from "./key-pairs.ts";
import { type StartedWebhook, startWebhook, type WebhookEvent } from "./webhook.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-webhook-"));
const files = [join(folder, "cert"), join(folder, "key")] as const;
const events: WebhookEvent[] = [];
const unusable: string[] = [];
const source = { snapshot: () => put(base, ingress({ name: "old", host: "a.example" })), onChange: () => () => {} };
const closing: (() => Promise<void>)[] = [];
let port = 0;

async function newPair(): Promise<void> {
  const { chain, key } = await fakeCertificate(new Date());
  writeFileSync(files[1], key.reveal());
  writeFileSync(files[0], chain);
}

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await newPair();
  const opened = await openKeyPairFiles(...files, (why) => unusable.push(why));
  if (!opened.ok) throw new Error(opened.why);
  const limits = { eachBytes: 200_000, allBytes: 300_000 };
  const started = await startWebhook({
    ...{ address: "127.0.0.1:0", keyPairs: opened.keyPairs, source, translate: defaultOptions, limits },
    watches: () => true,
    report: (event) => events.push(event),
  });
  if (!started.ok) throw new Error(started.why);
  port = started.port;
  closing.push(started.stop, opened.keyPairs.close);
});
afterAll(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true });
});

interface Answered {
  readonly status: number | undefined;
  readonly text: string;
}
/** Sends the body in one piece, with or without its length. */
function ask(body: string, chunked = false): Promise<Answered> {
  const headers = chunked ? { "transfer-encoding": "chunked" } : { "content-length": Buffer.byteLength(body) };
  const agent = new Agent({ keepAlive: false });
  return new Promise((resolve, reject) => {
    const asked = request({ port, method: "POST", rejectUnauthorized: false, agent, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
function review(name: string, annotations: Record<string, string> = {}): string {
  const object = ingress({ name, host: "a.example", annotations });
  const metadata = { ...object.metadata, uid: "705ab4f5-6393-11e8-b7cc-42010a800002" };
  const kind = { group: "networking.k8s.io", version: "v1", kind: "Ingress" };
  const request = { uid: "u", kind, operation: "CREATE", object: { ...object, metadata } };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}

test("a review is answered and reported", async () => {
  const { status, text } = await ask(review("new"));
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({
    kind: "AdmissionReview",
    response: {
      uid: "u",
      allowed: false,
      status: { message: expect.stringContaining("belongs to the older Ingress ns/old") },
    },
  });
  expect(JSON.parse((await ask(review("old"))).text).response).toEqual({ uid: "u", allowed: true });
  expect(events.filter(({ kind }) => kind === "reviewed")).toHaveLength(2);
});

test("a body over the limit is answered 413, with and without its length in a header, and the next one is read", async () => {
  const huge = review("new", { "proxy-read-timeout": "1".repeat(20_000_000) });
  expect(await ask(huge)).toMatchObject({ status: 413 });
  expect(await ask(huge, true)).toMatchObject({ status: 413 });
  expect(await ask("{")).toMatchObject({ status: 400 });
  expect(await ask(review("old"), true)).toMatchObject({ status: 200 });
});

test("clients that send slowly lose their places to complete reviews", async () => {
  const answers: (number | undefined)[] = [];
  const slow = Array.from({ length: 35 }, () => {
    const headers = { "content-length": 150_000 };
    const sending = request({ port, method: "POST", rejectUnauthorized: false, agent: false, headers }, (response) => {
      answers.push(response.statusCode);
      response.resume();
    });
    sending.on("error", () => {}).write("x".repeat(100_000));
    return sending;
  });
  // Three of them fit below the limit for all bodies.
  await expect.poll(() => answers.length).toBe(32);
  expect(new Set(answers)).toEqual(new Set([503]));
  expect(await ask(review("old"))).toMatchObject({ status: 200 });
  expect(await ask(review("old", { "no-such": "x".repeat(190_000) }))).toMatchObject({ status: 200 });
  expect(await ask(review("old"), true)).toMatchObject({ status: 200 });
  for (const sending of slow) sending.destroy();
});

test("an answer has the first of very many warnings, and the number of the others", async () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`no-such-${at}`, "x"]));
  const { warnings } = JSON.parse((await ask(review("old", many))).text).response;
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)).toBe("and 30 more");
});

test("a new certificate is served without a restart, and a key that does not fit changes nothing", async () => {
  const before = await fingerprint();
  writeFileSync(files[1], "no key");
  await expect.poll(() => unusable.length).toBeGreaterThan(0);
  expect(await fingerprint()).toBe(before);
  await newPair();
  await expect.poll(fingerprint).not.toBe(before);
  expect(events).toContainEqual({ kind: "certificate-changed" });
});

test("TLS 1.1 is refused", async () => {
  const options = { port, rejectUnauthorized: false, minVersion: "TLSv1", maxVersion: "TLSv1.1" } as const;
  const error = await new Promise<Error>((resolve) => connect(options).once("error", resolve));
  expect(error.message).toMatch(/protocol version|unsupported protocol|no protocols available/);
});

test("clients that send no TLS, or go in the middle of a handshake, end nothing and leave no line", async () => {
  const before = events.length;
  const hello = Buffer.from("160301020001000001fc0303", "hex");
  for (const bytes of [Buffer.from("GET / HTTP/1.1\r\n\r\n"), randomBytes(2_000), hello, Buffer.alloc(0)]) {
    const socket = connectPlain(port, "127.0.0.1");
    socket.on("error", () => {}).write(bytes);
    await once(socket, "connect");
    socket.resetAndDestroy();
  }
  expect(await ask(review("old"))).toMatchObject({ status: 200 });
  expect(events.slice(before)).toEqual([expect.objectContaining({ kind: "reviewed" })]);
});

test("a port that is already in use gives one sentence", async () => {
  const keyPairs = { current: () => ({ cert: "", key: "" }), onChange: () => () => {} };
  const options = { keyPairs, source, translate: defaultOptions, watches: () => true, report: () => {} };
  const second: StartedWebhook = await startWebhook({ ...options, address: `127.0.0.1:${port}` });
  const why = `The webhook cannot listen on 127.0.0.1:${port} (--validating-webhook): another program is using it.`;
  expect(second).toEqual({ ok: false, why });
});

function fingerprint(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
