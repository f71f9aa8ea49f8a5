/**
 * The run folder loses a part of what it had while nginx serves. Nothing ends: each failure is
 * reported once, and is over when the folder is back.
 */
import { mkdirSync, rmSync } from "node:fs";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { reportCallbacks } from "../../src/base/callbacks.ts";
import { testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const to = "127.0.0.48:18090";
const saying = (text: string) => ({ http: `server { listen ${to}; return 200 ${text}; }` });

const reported: string[] = [];
reportCallbacks((what, failure) => reported.push(`${what}: ${failure === undefined ? "works" : failure.message}`));
afterEach(() => void reported.splice(0));

async function serving() {
  const it = await testNginx();
  onTestFinished(() => it.stop());
  await it.serve(saying("one"));
  return it;
}

test("a folder of files that is gone keeps unused files from being removed, and nothing else", async () => {
  const it = await serving();
  rmSync(it.folder.tls, { recursive: true });
  await it.serve(saying("two"));
  await until("the report", () => reported.length > 0);
  // On a busy machine a removal that finds nothing to remove may come between two that fail.
  expect(reported[0]).toMatch(/^the removal of unused files: ENOENT: /);
  expect((await request({ to })).body).toBe("two");
  mkdirSync(it.folder.tls);
  await until("the removal to work again", () => reported.at(-1) === "the removal of unused files: works");
});

test("an nginx that ends while its folder of sockets is gone is started when the folder is back", async () => {
  const it = await serving();
  it.expectError(/./);
  rmSync(it.folder.sockets, { recursive: true });
  process.kill(it.nginx.pid!, "SIGKILL");
  const why = await until("the reason", () => it.events.find(({ kind }) => kind === "not-started"));
  expect(why).toMatchObject({ why: expect.stringMatching(/^nginx did not start: ENOENT: /) });
  mkdirSync(it.folder.sockets, { mode: 0o700 });
  await until("nginx to serve again", () =>
    request({ to }).then(
      ({ body }) => body === "one",
      () => false,
    ),
  );
});
