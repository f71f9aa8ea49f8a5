/**
 * Tests trap 6: shared memory evicts nothing, its keys are never listed, and it is filled from the
 * disk before the first request when its size changes.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { testNginx } from "../support/nginx.ts";
import { request } from "../support/request.ts";
import { ingress, service, settings } from "../support/shop.ts";
import { startShop } from "../support/shop-subject.ts";
import { steadyTraffic } from "../support/steady-traffic.ts";
import { until } from "../support/until.ts";

const lua = fileURLToPath(new URL("../../../nginx/lua", import.meta.url));

test("a record that does not fit is refused, and no other record is evicted for it", async () => {
  const nginx = await testNginx();
  onTestFinished(() => nginx.stop());
  await nginx.serve({
    http: `
    lua_package_path "${lua}/?.lua;;";
    lua_shared_dict sluice_records_3 64k;
    server {
      listen 127.0.0.46:18080;
      client_body_buffer_size 1m;
      location /records { content_by_lua_block { require("sluice.channel").serve() } }
      location /one { content_by_lua_block { ngx.print(ngx.shared.sluice_records_3:get(ngx.var.arg_key) or "none") } }
    }`,
  });
  const to = "127.0.0.46:18080";
  const post = (key: string) =>
    request({ to, path: "/records", method: "POST", body: `${JSON.stringify([key, "x".repeat(1000)])}\n` });
  expect((await post("first")).status).toBe(200);
  const statuses: number[] = [];
  for (let at = 0; at < 80; at++) statuses.push((await post(`k${at}`)).status);
  expect(new Set(statuses)).toEqual(new Set([200, 507]));
  expect((await request({ to, path: "/one?key=first" })).body).toHaveLength(1000);
});

test("the Lua code neither lists shared memory nor writes records in a way that evicts others", () => {
  // Two files may list keys: digest.lua, which runs only if something other than the controller
  // has written, and gateway/shadow.lua, which lists its own counts in a memory of their own for an
  // operator.
  const lists = ["digest.lua", join("gateway", "shadow.lua")];
  const files = readdirSync(lua, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".lua") && !lists.some((one) => file.endsWith(one)),
  );
  const code = files.map((file) => readFileSync(join(lua, file), "utf8").replace(/--.*/g, "")).join("\n");
  expect(code).toContain("records:safe_set(");
  expect(code).not.toMatch(/get_keys|records:(set|add|replace)\(/);
});

test("a new master has all records of the previous one", async () => {
  const address = "192.0.2.81";
  const hosts = Array.from({ length: 20 }, (_, at) => `m${at}.example`);
  const ingresses = hosts.map((host) => ingress(host, host, "web"));
  const subject = await startShop(8376, [address], [...service("web", [address]), ...ingresses]);
  onTestFinished(() => subject.stop());
  // This change is only data, so no text on disk contains the host.
  await subject.apply([ingress("late", "late.example", "web")]);
  await subject.settled();
  const before = subject.nginxPid!();
  process.kill(before!, "SIGKILL");
  await until("a new master", () => ![undefined, before].includes(subject.nginxPid!()));
  const statusOf = async (host: string) => (await request({ to: subject.to, host }).catch(() => undefined))?.status;
  await until("an answer", async () => (await statusOf("late.example")) === 200);
  for (const host of hosts) expect(await statusOf(host)).toBe(200);
});

test("no request fails when the size of the memory changes", async () => {
  const address = "192.0.2.77";
  const hosts = Array.from({ length: 50 }, (_, at) => `h${at}.example`);
  const ingresses = hosts.map((host) => ingress(host, host, "web"));
  const subject = await startShop(8371, [address], [...service("web", [address]), ...ingresses]);
  onTestFinished(() => subject.stop());
  const traffic = steadyTraffic(hosts.map((host) => ({ to: subject.to, host })));
  for (const size of [40, 20]) {
    await subject.apply([settings({ "lua-shared-dicts": `configuration_data: ${size}` })]);
    await subject.settled();
  }
  await traffic.end();
  expect([...traffic.answers.keys()]).toEqual(["200"]);
});
