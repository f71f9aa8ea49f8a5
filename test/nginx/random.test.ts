import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const lua = fileURLToPath(new URL("../../nginx/lua", import.meta.url));

test("workers have different random numbers and ids, although one master forks them", async () => {
  const nginx = await testNginx();
  onTestFinished(() => nginx.stop());
  await nginx.serve({
    workers: 4,
    http: `
    lua_package_path "${lua}/?.lua;;";
    init_by_lua_block { require("resty.core") }
    init_worker_by_lua_block { require("sluice.random").seed() first = math.random() }
    server {
      listen 127.99.0.1:8080 reuseport;
      location / { content_by_lua_block { ngx.print(ngx.worker.id(), " ", first) } }
      location /ids { content_by_lua_block { for _ = 1, 300 do ngx.say(require("sluice.random").request_id()) end } }
    }`,
  });
  nginx.expectError(/writing a global Lua variable/);
  const draws = new Map<string, string>();
  await until("two workers answer", async () => {
    const [worker = "", draw = ""] = (await request({ to: "127.99.0.1:8080" })).body.split(" ");
    draws.set(worker, draw);
    return draws.size >= 2;
  });
  expect(new Set(draws.values()).size).toBe(draws.size);
  const ids: string[] = [];
  for (let asked = 0; asked < 10; asked++) {
    ids.push(...(await request({ to: "127.99.0.1:8080", path: "/ids" })).body.trim().split("\n"));
  }
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(ids).size).toBe(3_000);
});
