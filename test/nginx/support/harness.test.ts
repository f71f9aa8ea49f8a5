/**
 * Tests the harness itself: the bytes that its requests send, and that an error in nginx's log
 * makes a test fail.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Pki, pkiIn } from "../../support/pki.ts";
import { type TestNginx, testNginx } from "./nginx.ts";
import { keepalive, raw, request, requestHttp2 } from "./request.ts";

const [plain, secure] = ["127.0.0.46:18080", "127.0.0.46:18443"];
const folder = mkdtempSync(join(tmpdir(), "sluice-pki-"));
let it: TestNginx;

beforeAll(async () => {
  const pki = await pkiIn(folder);
  it = await testNginx();
  const files = (["tls", "alt"] as const).map((name) => ({ path: `tls/${name}.pem`, content: pem(pki, name) }));
  await it.serve({ http: servers(it.folder.tls), files });
});
afterAll(async () => {
  await it.stop();
  rmSync(folder, { recursive: true });
});

const pem = (pki: Pki, name: "tls" | "alt"): string => `${pki[name].certificate}\n${pki[name].key}`;
const server = (name: string, tls: string, file: string): string => `server {
  listen ${plain}; listen ${secure} ssl http2; server_name ${name};
  ssl_certificate ${tls}/${file}.pem; ssl_certificate_key ${tls}/${file}.pem;
  location / { return 200 "$host $server_protocol $http_x_test $connection_requests $request_method"; }
}`;
const servers = (tls: string): string => server("a.example", tls, "tls") + server("alt.example", tls, "alt");

test("a request has the Host and headers that the test gives", async () => {
  const answer = await request({ to: plain, host: "a.example", headers: { "X-Test": "x" }, method: "PUT", body: "b" });
  expect(answer).toMatchObject({ status: 200, body: "a.example HTTP/1.1 x 1 PUT" });
});

test.each([
  ["a.example", "tls.example"],
  ["alt.example", "alt.example"],
])("a handshake with the server name %s gets its certificate", async (sni, certificate) => {
  expect(await request({ to: secure, sni, host: sni })).toMatchObject({ status: 200, certificate });
});

test("an agent keeps its connection", async () => {
  const agent = keepalive();
  const bodies = [];
  for (let i = 0; i < 3; i += 1) bodies.push((await request({ to: plain, host: "a.example", agent })).body);
  agent.destroy();
  expect(bodies.map((body) => body.split(" ")[3])).toEqual(["1", "2", "3"]);
});

test("a request over HTTP/2 is answered", async () => {
  const answer = await requestHttp2({ to: secure, sni: "a.example", host: "a.example", headers: { "x-test": "y" } });
  expect(answer).toMatchObject({ status: 200, body: "a.example HTTP/2.0 y 1 GET" });
});

test("raw bytes are sent unchanged", async () => {
  expect(await raw(plain, "GET / HTTP/1.0\r\nHost: alt.example\r\n\r\n")).toContain("alt.example HTTP/1.0");
});

test("an error in the log fails a test that did not expect it", async () => {
  const other = await testNginx();
  const to = "127.0.0.46:18081";
  await other.serve({ http: `server { listen ${to}; location / { content_by_lua_block { error("on purpose") } } }` });
  expect((await request({ to })).status).toBe(500);
  await expect(other.stop()).rejects.toThrow("nginx's error log");
});
