/**
 * The webhook's port from outside: any program may send anything. Nothing is run, nothing is
 * written, nothing grows.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { fakeCertificate } from "../../../src/core/certificates/fake.ts";
import { defaultOptions } from "../../../src/core/table/options.ts";
import { openKeyPairFiles } from "../../../src/edges/admission/key-pairs.ts";
import { type StartedWebhook, startWebhook } from "../../../src/edges/admission/webhook.ts";
import { base } from "../../support/sketch.ts";
import { long, payloads } from "../support/corpus.ts";
import { ingress } from "../support/objects.ts";

const started = vi.hoisted(() => ({ processes: [] as string[] }));
vi.mock("node:child_process", async (original) => {
  const real = await original<Record<string, unknown>>();
  const counted = Object.entries(real).map(([name, one]) => [
    name,
    /^(spawn|exec|fork)/.test(name)
      ? (...args: unknown[]) => {
          started.processes.push(String(args[0]));
          return (one as (...given: unknown[]) => unknown)(...args);
        }
      : one,
  ]);
  return Object.fromEntries(counted);
});

const folder = mkdtempSync(join(tmpdir(), "webhook-"));
const close: (() => Promise<void>)[] = [];
let port = 0;

beforeAll(async () => {
  const { chain, key } = await fakeCertificate(new Date());
  writeFileSync(join(folder, "cert"), chain);
  writeFileSync(join(folder, "key"), key.reveal());
  const opened = await openKeyPairFiles(join(folder, "cert"), join(folder, "key"), () => {});
  if (!opened.ok) throw new Error(opened.why);
  const webhook: StartedWebhook = await startWebhook({
    ...{ address: "127.0.0.1:0", keyPairs: opened.keyPairs, translate: defaultOptions },
    ...{ source: { snapshot: () => base, onChange: () => () => {} }, watches: () => true, report: () => {} },
  });
  if (!webhook.ok) throw new Error(webhook.why);
  port = webhook.port;
  close.push(webhook.stop, opened.keyPairs.close);
});
afterAll(async () => {
  for (const one of close) await one();
  rmSync(folder, { recursive: true });
});

function send(body: string | Buffer): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const options = { port, method: "POST", rejectUnauthorized: false, agent: new Agent({ keepAlive: false }) };
    const asked = request(options, (response) => {
      let text = "";
      response.on("data", (data) => (text += data));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on("error", reject).end(body);
  });
}

function review(object: object, uid = "u"): string {
  const kind = { group: "networking.k8s.io", version: "v1", kind: "Ingress" };
  const request = { uid, kind, operation: "CREATE", object };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}

const files = () => readdirSync(tmpdir()).filter((name) => /pwned|nginx-cfg/.test(String(name)));

test("CVE-2025-1974: no unauthenticated review starts a process or writes a file", async () => {
  const before = started.processes.length;
  for (const text of [...payloads, ...long]) {
    const annotations = {
      "auth-url": `http://a/${text}`,
      "configuration-snippet": text,
      "auth-tls-match-cn": `CN=${text}`,
      "mirror-target": text,
    };
    const object = ingress({ name: "a", paths: [[`/${text}`, "ImplementationSpecific"]], annotations });
    const { status, text: answer } = await send(review(object));
    // No API server stores more than 256 KiB of annotations.
    const isStorable = Object.values(annotations).join("").length < 256 * 1024;
    if (isStorable) expect([status, JSON.parse(answer).response.allowed]).toEqual([200, false]);
    else expect([status, answer]).toEqual([400, expect.stringContaining("larger than any that the API server stores")]);
  }
  expect(started.processes.length).toBe(before);
  expect(files()).toEqual([]);
});

test("CVE-2025-24513, CVE-2025-1098: UID, name and namespace with paths or braces come back unchanged, and have no other effect", async () => {
  for (const text of ["../../x", "x} pwned {", "/etc/passwd", "a\n#", "a\0b"]) {
    const object = ingress({ name: text, namespace: text, host: "a.example", uid: text });
    const { status, text: answer } = await send(review(object, text));
    expect([status, JSON.parse(answer).response.uid]).toEqual([200, text]);
  }
  expect(files()).toEqual([]);
});

test("CVE-2026-24514: a review of 50 MB is answered 413 each time, without a growth of memory", async () => {
  const body = Buffer.from(review(ingress({ name: "a", annotations: { "auth-url": "a".repeat(50_000_000) } })));
  expect((await send(body)).status).toBe(413);
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 10; i++) expect((await send(body)).status).toBe(413);
  expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(100);
});

test.each([
  ["", 400],
  ["null", 400],
  ["[]", 400],
  ["{", 400],
  ['{"request":1}', 400],
  [`${"[".repeat(100_000)}`, 400],
  ["\xff\xfe\0", 400],
])("the text %j is refused as a review, with status %s", async (body, status) => {
  expect((await send(Buffer.from(body, "latin1"))).status).toBe(status);
});

test.each([
  ["no spec", { spec: undefined }],
  ["a spec that is a text", { spec: "x" }],
  ["rules that are a number", { spec: { rules: 1 } }],
  ["a rule that is null", { spec: { rules: [null] } }],
  ["a path that is an object", { spec: { rules: [{ http: { paths: [{ path: {}, backend: [] }] } }] } }],
  ["annotations that are a list", { metadata: { name: "a", annotations: [1] } }],
  [
    "an annotation that is a number",
    { metadata: { name: "a", annotations: { "nginx.ingress.kubernetes.io/auth-url": 1 } } },
  ],
  ["no name", { metadata: {} }],
  [
    "__proto__",
    JSON.parse(
      '{"__proto__":{"polluted":1},"metadata":{"name":"a","annotations":{"__proto__":"x","constructor":"y"}}}',
    ),
  ],
])("an object with %s is answered, and so is the next one", async (_what, wrong) => {
  const { status } = await send(review({ ...ingress({ name: "a" }), ...wrong }));
  expect([200, 400]).toContain(status);
  expect((await send(review(ingress({ name: "a" })))).status).toBe(200);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
