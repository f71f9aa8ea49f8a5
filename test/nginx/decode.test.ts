/** What the Lua adds to records that leave out names, and the forms of key pairs that it reads. */
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { pairRecord } from "../../src/core/model/pair-record.ts";
import { SecretText } from "../../src/core/model/secret-text.ts";
import { testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";

const lua = fileURLToPath(new URL("../../nginx/lua", import.meta.url));
const to = "127.99.0.2:8080";

test("records are completed by the ids of their upstreams", async () => {
  const nginx = await testNginx();
  onTestFinished(() => nginx.stop());
  await nginx.serve({
    workers: 1,
    http: `
    lua_package_path "${lua}/?.lua;;";
    server {
      listen ${to};
      location / {
        content_by_lua_block {
          local json = require("cjson.safe")
          ngx.req.read_body()
          local sort, name, text = unpack(json.decode(ngx.req.get_body_data()))
          ngx.print(json.encode(require("sluice.decode")(sort, name, text)))
        }
      }
    }`,
  });
  const decoded = async (sort: string, name: string, record: unknown) => {
    const text = typeof record === "string" ? record : JSON.stringify(record);
    const { body } = await request({ to, method: "POST", body: JSON.stringify([sort, name, text]) });
    return JSON.parse(body) as unknown;
  };

  const host = { locations: [{ upstream: "shop/web/80", ingress: "a" }] };
  const complete = { locations: [{ ...host.locations[0], namespace: "shop", service: "web", port: "80" }] };
  expect(await decoded("host", "a.example", host)).toEqual(complete);
  expect(await decoded("before host", "a.example", [host, false])).toEqual([complete, false]);
  const closed = { locations: [{ upstream: "default", ingress: "a", namespace: "shop" }] };
  expect(await decoded("host", "a.example", closed)).toEqual(closed);

  expect(await decoded("upstream", "shop/web/80", { endpoints: [] })).toMatchObject({ label: "shop-web-80" });
  expect(await decoded("upstream", "default", { label: "other" })).toMatchObject({ label: "other" });

  const pair = { fingerprint: "0a", chain: "Grüße\n", key: "KEY\n" };
  const record = pairRecord({ ...pair, key: new SecretText(pair.key) });
  expect(await decoded("pair", "shop/tls", record)).toEqual(pair);
  expect(await decoded("pair", "shop/tls", pair)).toEqual(pair);

  nginx.expectError(/record pair shop\/tls is not JSON/);
  expect(await decoded("pair", "shop/tls", "?")).toBe(null);
});
