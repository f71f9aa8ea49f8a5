import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type HeldBackend, heldBackend } from "./support/held-backend.ts";
import { testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const to = "127.0.0.43:18080";
const saying = (text: string): { readonly http: string } => ({
  http: `server {
    listen ${to};
    location / { return 200 ${text}; }
    location /held { proxy_pass http://127.0.0.43:18081; }
  }`,
});
const answer = async (): Promise<string> => (await request({ to })).body;

let backend: HeldBackend;
beforeAll(async () => {
  backend = await heldBackend("127.0.0.43", 18081);
});
afterAll(() => backend.stop());

test("a slow download of 2 MB survives reloads", async () => {
  const it = await testNginx();
  onTestFinished(() => it.stop());
  const content = randomBytes(2_000_000);
  writeFileSync(join(it.folder.temp, "big"), content);
  const serving = (text: string): { readonly http: string } => ({
    http: `server { listen ${to}; root ${it.folder.temp}; location = / { return 200 ${text}; } }`,
  });
  await it.serve(serving("one"));
  const socket = connect({ host: "127.0.0.43", port: 18080 });
  socket.write("GET /big HTTP/1.0\r\n\r\n");
  let received = Buffer.alloc(0);
  for await (const piece of socket) {
    received = Buffer.concat([received, piece as Buffer]);
    if (received.length < 200_000) await it.serve(serving(`reload-${received.length}`));
  }
  const body = received.subarray(received.indexOf("\r\n\r\n") + 4);
  expect(createHash("sha256").update(body).digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
});

test("draining generations are counted until they are gone", async () => {
  const it = await testNginx();
  onTestFinished(() => it.stop());
  await it.serve({ ...saying("one"), workers: 1 });
  expect(it.nginx.generations()).toEqual({ draining: 0, drainingWorkers: 0, workers: 1 });
  const held = request({ to, path: "/held" });
  await until("the request", () => backend.held === 1);
  await it.serve({ ...saying("two"), workers: 1 });
  expect(it.nginx.generations()).toEqual({ draining: 1, drainingWorkers: 1, workers: 1 });
  backend.release("done");
  await held;
  await until("no draining worker", () => it.nginx.generations().draining === 0);
});

test("a reload waits while too many generations drain, and then only the newest text is loaded", async () => {
  const it = await testNginx({ maxDraining: 1 });
  onTestFinished(() => it.stop());
  await it.serve(saying("one"));
  const held = request({ to, path: "/held" });
  await until("the request", () => backend.held === 1);
  await it.serve(saying("two"));
  const outcomes = Promise.all([it.apply(saying("three")), it.apply(saying("four"))]);
  expect(await Promise.race([outcomes, delay(300, "still waiting")])).toBe("still waiting");
  expect(await answer()).toBe("two");
  backend.release("done");
  await held;
  const [three, four] = await outcomes;
  expect(four).toMatchObject({ kind: "reloaded" });
  expect(three).toBe(four);
  expect(await answer()).toBe("four");
});
