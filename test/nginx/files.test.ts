/**
 * The files that a configuration names are kept as long as a worker may open them, and no longer.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import type { ConfParts } from "./support/conf.ts";
import { type HeldBackend, heldBackend } from "./support/held-backend.ts";
import { type TestNginx, testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const to = "127.0.0.45:18080";
let it: TestNginx;
let backend: HeldBackend;
beforeAll(async () => {
  backend = await heldBackend("127.0.0.45", 18081);
  it = await testNginx();
});
afterAll(async () => {
  await it.stop();
  await backend.stop();
});

const serving = (file: string, content: string, more = ""): ConfParts => ({
  http: `server {
    listen ${to};
    location = /file { alias ${it.folder.root}/${file}; }
    location /held { proxy_pass http://127.0.0.45:18081; }
    ${more}
  }`,
  files: [{ path: file, content }],
});
const answer = async (): Promise<string> => (await request({ to, path: "/file" })).body;
const there = (file: string): boolean => existsSync(join(it.folder.root, file));

test("a file is removed when no text names it and no older worker is left", async () => {
  await it.serve(serving("include/one", "1"));
  const held = request({ to, path: "/held" });
  await until("the request", () => backend.held === 1);
  await it.serve(serving("include/two", "2"));
  await it.serve(serving("include/two", "2", "add_header X-Reload again;"));
  expect(await answer()).toBe("2");
  await until("the idle workers to end", () => it.nginx.generations().draining === 1);
  expect(there("include/one")).toBe(true);
  backend.release("done");
  await held;
  await until("the file to be removed", () => !there("include/one"));
  expect(there("include/two")).toBe(true);
});

test("new bytes under the same name cause a reload, even when the hash is the same", async () => {
  const workers = (): readonly number[] =>
    nginxProcesses(it.folder).flatMap(({ pid, role, draining }) => (role === "worker" && !draining ? [pid] : []));
  await it.serve({ ...serving("include/same", "old"), generation: "same" });
  const before = workers();
  expect(await it.apply({ ...serving("include/same", "new"), generation: "same" })).toMatchObject({ kind: "reloaded" });
  expect(workers().filter((pid) => before.includes(pid))).toEqual([]);
  expect(await answer()).toBe("new");
});

test("a refused configuration leaves the files unchanged", async () => {
  await it.serve(serving("include/same", "good"));
  expect(await it.apply(serving("include/same", "bad", "no_such_directive;"))).toMatchObject({ kind: "refused" });
  expect(readFileSync(join(it.folder.root, "include/same"), "utf8")).toBe("good");
});
