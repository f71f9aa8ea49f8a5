/** Tests keys about requests of clients and the answers to them, observed by a client. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Configured, host, ingress, startConfigured } from "./support/configured.ts";
import { request } from "./support/request.ts";

const port = 23_020;
let it: Configured;

beforeAll(async () => {
  it = await startConfigured({ port });
  const moved = { annotations: { "permanent-redirect": "/other/" } };
  await it.set({}, [
    ingress("slash", "slash.example", "web", { path: "/docs/" }),
    ingress("moved", "moved.example", "web", moved),
    ingress("tls", "tls.example", "web", { tls: true }),
  ]);
});
afterAll(() => it.stop());

test("client-body-timeout answers 408 or closes the connection of a client that does not send the body", async () => {
  const raw = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\nab`;
  await it.set({ "client-body-timeout": "1" });
  expect((await it.ask({ raw, timeout: 30 })).error).not.toBe("TimeoutError");
  await it.set({ "client-body-timeout": "60" });
  expect((await it.ask({ raw, timeout: 2 })).error).toBe("TimeoutError");
});

test("enable-underscores-in-headers passes X_Under_Score to the backend", async () => {
  const headers = { x_under_score: "1" };
  await it.set({ "enable-underscores-in-headers": "false" });
  expect((await it.ask({ headers })).seen?.headers).not.toHaveProperty("x_under_score");
  await it.set({ "enable-underscores-in-headers": "true" });
  expect((await it.ask({ headers })).seen?.headers).toHaveProperty("x_under_score", "1");
});

test("relative-redirects and use-port-in-redirects change the Location of nginx's own redirects", async () => {
  const location = async () => (await it.ask({ host: "slash.example", path: "/docs" })).headers?.location;
  await it.set({});
  expect(await location()).toBe("http://slash.example/docs/");
  await it.set({ "use-port-in-redirects": "true" });
  expect(await location()).toBe(`http://slash.example:${port}/docs/`);
  await it.set({ "relative-redirects": "true" });
  expect(await location()).toBe("/docs/");
});

test("generate-request-id gives each request an id, and keeps one that the client sends", async () => {
  const id = async (headers = {}) => (await it.ask({ headers })).seen?.headers?.["x-request-id"];
  await it.set({ "generate-request-id": "true" });
  expect(await id()).toBe("<id>");
  await it.set({ "generate-request-id": "false" });
  expect(await id()).toBeUndefined();
  expect(await id({ "X-Request-ID": "mine" })).toBe("mine");
});

test("block-referers refuses requests by their Referer", async () => {
  await it.set({ "block-referers": "~*spam,http://one.example/" });
  const status = async (referer: string) => (await it.ask({ headers: { referer } })).status;
  expect(await status("http://SPAM.example/")).toBe(403);
  expect(await status("http://one.example/")).toBe(403);
  expect(await status("http://one.example/two")).toBe(200);
});

test("nginx-status-ipv6-whitelist lists who may read /nginx_status over IPv6", async () => {
  const status = async () => (await request({ to: `[2001:db8::1]:${port}`, path: "/nginx_status" })).status;
  await it.set({});
  expect(await status()).toBe(403);
  await it.set({ "nginx-status-ipv6-whitelist": "2001:db8::/64" });
  expect(await status()).toBe(200);
});

test("http2-max-concurrent-streams is the limit that nginx announces", async () => {
  await it.set({ "http2-max-concurrent-streams": "17" });
  const session = connectHttp2(`https://192.0.2.1:${it.ports.https}`, { rejectUnauthorized: false, servername: host });
  const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve, reject) => {
    session.on("remoteSettings", resolve).on("error", reject);
  });
  session.close();
  expect(settings.maxConcurrentStreams).toBe(17);
});

test("bind-address-ipv4 and bind-address-ipv6 are the only addresses that answer, and reuse-port is a parameter of them", async () => {
  await it.set({ "bind-address-ipv4": "192.0.2.2", "bind-address-ipv6": "[2001:db8::1]", "reuse-port": "false" });
  expect((await it.ask({ to: "192.0.2.2" })).status).toBe(200);
  expect((await it.ask({ to: "192.0.2.1" })).error).toBe("ConnectionRefusedError");
  expect((await request({ to: `[2001:db8::1]:${port}`, host })).status).toBe(200);
  expect(it.values("listen").filter((listen) => listen.includes("reuseport"))).toEqual([]);
  await it.set({ "reuse-port": "true" });
  expect((await it.ask({ to: "192.0.2.1" })).status).toBe(200);
  expect(it.values("listen").filter((listen) => listen.includes("reuseport"))).not.toEqual([]);
});

test("gzip-types, gzip-min-length, gzip-disable and gzip-level determine what is compressed", async () => {
  const packed = async (type: string, letters: number, more = {}) => {
    await it.set({ "use-gzip": "true", ...more });
    const path = `/?echo-type=${type}&echo-body=${"ab".repeat(letters / 2)}`;
    const answer = await it.ask({ path, headers: { "accept-encoding": "gzip", "user-agent": "tester/1" } });
    return answer.headers?.["content-encoding"] === "gzip";
  };
  expect(await packed("text/css", 400)).toBe(true);
  expect(await packed("text/css", 400, { "gzip-min-length": "1000" })).toBe(false);
  expect(await packed("text/x-own", 400)).toBe(false);
  expect(await packed("text/x-own", 400, { "gzip-types": "text/x-own" })).toBe(true);
  expect(await packed("text/css", 400, { "gzip-disable": "old" })).toBe(true);
  expect(await packed("text/css", 400, { "gzip-disable": "^tester" })).toBe(false);
  await it.set({ "use-gzip": "true", "gzip-level": "7" });
  expect(it.values("gzip_comp_level")).toEqual(["7"]);
});

test("default-type is the type of answers that nginx makes itself", async () => {
  const type = async (more: Record<string, string>) => {
    await it.set({ "server-snippet": 'location = /own { return 200 "x"; }', ...more });
    return (await it.ask({ path: "/own" })).headers?.["content-type"];
  };
  expect(await type({})).toBe("text/html");
  expect(await type({ "default-type": "text/x-own" })).toBe("text/x-own");
});

test("a location of server-snippet stores answers in a cache of http-snippet", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cache-"));
  const cached =
    "proxy_cache kept; proxy_cache_key $uri; proxy_cache_valid 1m; add_header X-Cache $upstream_cache_status;";
  await it.set({
    "http-snippet": `proxy_cache_path ${folder} keys_zone=kept:1m;`,
    "server-snippet": `location = /origin { return 200 "x"; } location = /cached { ${cached} proxy_set_header Host ${host}; proxy_pass http://127.0.0.1:${port}/origin; }`,
  });
  const state = async () => (await it.ask({ path: "/cached" })).headers?.["x-cache"];
  expect([await state(), await state()]).toEqual(["MISS", "HIT"]);
  rmSync(folder, { recursive: true });
});

test("http-snippet is part of the http block", async () => {
  await it.set({ "http-snippet": "add_header X-Http-Snippet here always;" });
  expect((await it.ask({ path: "/none" })).headers).toHaveProperty("x-http-snippet", "here");
});

test("http-snippet may set request_pool_size, which nginx accepts only once", async () => {
  await it.set({ "http-snippet": "request_pool_size 20k; add_header X-Http-Snippet pool always;" });
  expect((await it.ask({ path: "/none" })).headers).toHaveProperty("x-http-snippet", "pool");
});
