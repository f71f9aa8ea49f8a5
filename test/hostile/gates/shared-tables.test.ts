/**
 * Tables that all tenants share: counts of rate limits, times and failures of endpoints, counts of
 * routes in shadow, and label sets of requests. A flood of one tenant evicts only its own entries.
 */
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { type TestNginx, testNginx } from "../../nginx/support/nginx.ts";
import { request } from "../../nginx/support/request.ts";

const lua = fileURLToPath(new URL("../../../nginx/lua", import.meta.url));
const to = "127.99.0.3:8080";

let nginx: TestNginx;
beforeAll(async () => {
  nginx = await testNginx();
  nginx.expectError(/limiting requests/);
  return () => nginx.stop();
});

/** Starts nginx with small tables, so that a small flood fills them. */
const serve = (name: string) =>
  nginx.serve({
    workers: 1,
    http: `
    lua_package_path "${lua}/?.lua;;";
    # ${name}
    lua_shared_dict sluice_limits 256k;
    lua_shared_dict sluice_times 256k;
    lua_shared_dict sluice_shadow 256k;
    lua_shared_dict sluice_counts 32m;
    lua_shared_dict sluice_records_3 1m;
    server {
      listen ${to};
      set $route_limited "";
      set $route_limits_spare "";
      set $route_limits 1m0;
      set $s_to "";
      location / { content_by_lua_block { require("sluice.limits").check(ngx.var.arg_key, 503) return ngx.exit(204) } }
      location = /flood { content_by_lua_block {
        local limits, first, count = require("sluice.limits"), tonumber(ngx.var.arg_first), tonumber(ngx.var.arg_count)
        for at = first, first + count - 1 do
          ngx.var.route_limited = ""
          limits.check(ngx.var.arg_namespace .. "/web%20" .. at, 503)
        end
      } }
      location = /fail { content_by_lua_block {
        local peers = require("sluice.balance.ewma")
        ngx.var.s_to = ngx.var.arg_namespace .. "/web/80"
        for at = 1, tonumber(ngx.var.arg_count) do peers.note_failure(ngx.var.arg_namespace .. at) end
      } }
      location = /failures { content_by_lua_block { ngx.print(require("sluice.balance.ewma").failures(ngx.var.arg_peer)) } }
      location = /pairs { content_by_lua_block {
        local shares, counts = require("sluice.shares"), ngx.shared.sluice_shadow
        local namespace = ngx.var.arg_namespace
        for at = 1, tonumber(ngx.var.arg_count) do
          local key, text = namespace .. at, ("x"):rep(300)
          counts:add(key, 1, 0, shares.place(counts, namespace, key, #text, "example\\t"))
          counts:set("example\\t" .. key, text)
        end
      } }
      set $counted_request "";
      location = /requests { content_by_lua_block {
        local count = require("sluice.count")
        count.use({ per_host = false, time = {}, part = {}, length = {}, size = {} })
        local namespace = ngx.var.arg_namespace
        for at = 1, tonumber(ngx.var.arg_count) do
          local labels = "h\\t\\tGET\\t200\\t" .. namespace .. "\\tweb\\tweb\\t/" .. at
          ngx.var.counted_request = "1\\t1\\t1\\t1\\t1\\t1\\n" .. labels
          count.run()
        end
      } }
      location = /counts { content_by_lua_block {
        local count, shown = require("sluice.count"), ngx.shared.sluice_counts
        count.hand_over(true)
        local text, sets = "", 0
        while shown:llen("sums") > 0 do text = text .. shown:lpop("sums") end
        for name in text:gmatch("\\t(%a+)\\tweb\\tweb\\t/[^\\n]*\\n") do sets = sets + (name == ngx.var.arg_namespace and 1 or 0) end
        ngx.print(sets)
      } }
      location = /pair { content_by_lua_block {
        local counts = ngx.shared.sluice_shadow
        ngx.print(counts:get(ngx.var.arg_key) or 0, " ", #(counts:get("example\\t" .. ngx.var.arg_key) or ""))
      } }
    }`,
  });
const ask = async (path: string) => (await request({ to, path })).body;
const count = async (namespace: string, key: string) =>
  (await request({ to, path: `/?key=${namespace}/web%20${key}` })).status;

test("counts of rate limits stay while other tenants flood the table, and new ones are kept as well", async () => {
  await serve("limits");
  for (const address of ["a", "b", "c"]) expect(await count("victim", address)).toBe(204);
  for (let at = 0; at < 12; at++) await ask(`/flood?namespace=evil-${at}&first=0&count=2000`);
  for (let at = 0; at < 3; at++) await ask(`/flood?namespace=evil&first=${2000 * at}&count=2000`);
  for (const address of ["a", "b", "c"]) expect.soft(await count("victim", address), address).toBe(503);
  expect(await count("other", "a")).toBe(204);
  await ask("/flood?namespace=evil&first=10000&count=2000");
  expect(await count("other", "a")).toBe(503);
  // Of the flood, its newest counts are left.
  expect([await count("evil", "11999"), await count("evil", "10000")]).toEqual([503, 204]);
});

test("counts of failures stay while another tenant floods the table", async () => {
  await serve("failures");
  await ask("/fail?namespace=victim&count=3");
  await ask("/fail?namespace=evil&count=5000");
  expect([await ask("/failures?peer=victim1"), await ask("/failures?peer=victim3")]).toEqual(["1", "1"]);
  expect([await ask("/failures?peer=evil1"), await ask("/failures?peer=evil5000")]).toEqual(["0", "1"]);
});

test("counts of routes in shadow stay with their examples, and an evicted one takes its example along", async () => {
  await serve("shadow");
  await ask("/pairs?namespace=victim&count=3");
  await ask("/pairs?namespace=evil&count=2000");
  expect([await ask("/pair?key=victim1"), await ask("/pair?key=victim3")]).toEqual(["1 300", "1 300"]);
  expect([await ask("/pair?key=evil1"), await ask("/pair?key=evil2000")]).toEqual(["0 0", "1 300"]);
});

test("label sets of requests are counted under their names while another tenant floods them", async () => {
  await serve("counts");
  await ask("/requests?namespace=evil&count=50000");
  await ask("/requests?namespace=victim&count=100");
  expect(await ask("/counts?namespace=victim")).toBe("100");
  await ask("/requests?namespace=evil&count=50000");
  expect(Number(await ask("/counts?namespace=evil")), "half of the places").toBe(20_000);
});
