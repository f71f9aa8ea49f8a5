/** Changes of a route to requests and answers. */
import { expect, test } from "vitest";
import { type CorsPolicy, type Filters, noLimit } from "../../src/core/model/filters.ts";
import { unannotated } from "../../src/core/policies/read.ts";
import { defaultSettings } from "../../src/core/settings/registry.ts";
import { listensDeafly } from "./support/deaf-backend.ts";
import {
  type Gateways,
  host,
  http2Backend,
  owner,
  port,
  prefix,
  type Rule,
  startGateways,
} from "./support/gateways.ts";
import { keepalive, type RequestOptions, request } from "./support/request.ts";
import { until } from "./support/until.ts";

const to = "127.0.0.57:18770";
const problem = { object: owner("HTTPRoute", "web"), kind: "service-missing", service: "shop/x" } as never;

async function serve(base: number, at: string, rules: readonly Rule[]): Promise<Gateways> {
  const it = await startGateways(base);
  const [address = "", listenPort] = at.split(":");
  const ports = [port("a", address, Number(listenPort), { web: "" }, { port: 80 })];
  await it.put({ ports, hosts: [host("shop/a/web", "_", rules)], empty: ["gone"] });
  return it;
}

const rule = (path: string, filters: Filters, more: Partial<Rule> = {}): Rule => ({
  to: [{ upstream: "b1" }],
  routes: prefix(path),
  filters,
  ...more,
});

test("filters of the rule and then of the backend change headers, paths and hosts, and backends get shares by weight", async () => {
  const set = (...pairs: (readonly [string, string])[]) => pairs.map(([name, value]) => ({ name, value }));
  const none = { set: [], add: [], remove: [] };
  const rewrite = (type: "full" | "prefix", path: string, from = "") =>
    type === "full"
      ? { hostname: undefined, path: { type, path } as const }
      : { hostname: undefined, path: { type, path, prefix: from } as const };
  await serve(18_760, to, [
    rule(
      "/headers",
      {
        requestHeaders: {
          set: set(["X-Set", "rule"], ["X-Both", "rule"]),
          add: set(["X-Add", "rule"]),
          remove: ["X-Gone"],
        },
        responseHeaders: { set: set(["X-Answer", "rule"]), add: set(["X-More", "rule"]), remove: ["X-Own"] },
      },
      {
        to: [
          {
            upstream: "b1",
            filters: {
              requestHeaders: { ...none, set: set(["X-Both", "backend"]) },
              responseHeaders: { ...none, add: set(["X-More", "backend"]) },
            },
          },
        ],
      },
    ),
    rule("/full", { rewrite: { hostname: "other.example", path: { type: "full", path: "/one two" } } }),
    rule("/prefix", { rewrite: rewrite("prefix", "/new/", "/prefix") }),
    rule("/bare", { rewrite: rewrite("prefix", "", "/bare") }),
    rule("/plain", {}),
    rule("/host", { requestHeaders: { ...none, set: set(["Host", "set.example"]) } }),
    rule(
      "/shares",
      { responseHeaders: { ...none, set: set(["X-Answer", "shares"]) } },
      {
        to: [
          { upstream: "b1", weight: 50 },
          { upstream: "b2", weight: 30, filters: { requestHeaders: { ...none, set: set(["X-Backend", "two"]) } } },
          { upstream: "b3", weight: 0 },
          { upstream: "b4", weight: 20, unusable: problem },
        ],
      },
    ),
    rule("/none", {}, { to: [{ upstream: "b1", weight: 0 }] }),
    rule("/gone", {}, { to: [{ upstream: "gone" }] }),
  ]);
  const ask = (path: string, more: Partial<RequestOptions> = {}) => request({ to, host: "a.example", path, ...more });
  const seen = async (path: string, more: Partial<RequestOptions> = {}) => JSON.parse((await ask(path, more)).body);

  const headers = { "x-gone": "1", "X-Add": "client", "x-both": "client", "x-set": ["a", "b"] };
  const one = await ask("/headers?header=X-Own:1&header=X-More:own", { headers });
  expect(JSON.parse(one.body).headers).toMatchObject({ "x-set": "rule", "x-both": "backend", "x-add": "client, rule" });
  expect(JSON.parse(one.body).headers).not.toHaveProperty("x-gone");
  expect(JSON.parse(one.body).headers).toMatchObject({ "x-forwarded-port": "80", "x-forwarded-proto": "http" });
  expect(one.headers).toMatchObject({ "x-answer": "rule", "x-more": "own, rule, backend" });
  expect(one.headers).not.toHaveProperty("x-own");

  expect(await seen("/full/x?q=1")).toMatchObject({ url: "/one%20two?q=1", headers: { host: "other.example" } });
  expect(await seen("/prefix/a/b?q")).toMatchObject({ url: "/new/a/b?q", headers: { host: "a.example" } });
  expect((await seen("/prefix")).url).toBe("/new/");
  expect((await seen("/bare")).url).toBe("/");
  expect((await seen("/bare/")).url).toBe("/");
  expect((await seen("/bare/x")).url).toBe("/x");
  expect((await seen("/plain/a%2fb//c")).url).toBe("/plain/a%2fb//c");
  expect((await seen("/host")).headers).toMatchObject({ host: "set.example", "x-forwarded-host": "a.example" });

  const counts: Record<string, number> = {};
  const answers = await Promise.all(Array.from({ length: 600 }, () => ask("/shares")));
  for (const { status, body } of answers) {
    const name = status === 200 ? `b${JSON.parse(body).backend}` : String(status);
    counts[name] = (counts[name] ?? 0) + 1;
    if (name === "b2") expect(JSON.parse(body).headers).toHaveProperty("x-backend", "two");
    if (name === "b1") expect(JSON.parse(body).headers).not.toHaveProperty("x-backend");
  }
  expect(Object.keys(counts).sort()).toEqual(["500", "b1", "b2"]);
  // Six standard deviations, which one run in a billion exceeds.
  for (const [name, share] of Object.entries({ b1: 0.5, b2: 0.3, 500: 0.2 })) {
    expect(Math.abs(counts[name]! / 600 - share), name).toBeLessThan(0.13);
  }
  expect((await ask("/none")).status).toBe(500);
  expect((await ask("/gone")).status).toBe(503);
});

test("redirects follow the specification, and cross-origin requests get their headers", async () => {
  const at = "127.0.0.58:18790";
  const empty = { scheme: undefined, hostname: undefined, path: undefined, port: undefined };
  const cors = (more: Partial<CorsPolicy>): Filters => ({
    cors: {
      allowOrigins: ["https://a.example", "https://*.wild.example"],
      allowCredentials: false,
      allowMethods: ["GET", "PUT"],
      allowHeaders: ["X-One"],
      exposeHeaders: ["X-Seen"],
      maxAge: 60,
      ...more,
    },
  });
  const all = { allowOrigins: ["*"], allowMethods: ["*"], allowHeaders: ["*"] };
  await serve(18_780, at, [
    rule("/host", { redirect: { ...empty, hostname: "b.example", status: 302 } }),
    rule("/https", { redirect: { ...empty, scheme: "https", status: 301 } }),
    rule("/port", { redirect: { ...empty, port: 8443, scheme: "https", status: 303 } }),
    rule("/same", { redirect: { ...empty, scheme: "http", port: 80, status: 307 } }),
    rule("/full", { redirect: { ...empty, path: { type: "full", path: "/x" }, status: 308 } }),
    rule("/prefix", { redirect: { ...empty, path: { type: "prefix", prefix: "/prefix", path: "/y" }, status: 302 } }),
    rule("/esc", { redirect: { ...empty, path: { type: "prefix", prefix: "/esc", path: "/a%20b" }, status: 302 } }),
    rule("/cors", cors({})),
    rule("/any", cors({ ...all, allowCredentials: true, exposeHeaders: ["*", "X-Two"] })),
  ]);
  const ask = (path: string, more: Partial<RequestOptions> = {}) =>
    request({ to: at, host: "a.example:1", path, ...more });
  const leadsTo = async (path: string) => {
    const { status, headers } = await ask(path);
    return `${status} ${headers.location}`;
  };
  expect(await leadsTo("/host/a%20b?q=1")).toBe("302 http://b.example/host/a%20b?q=1");
  expect(await leadsTo("/https")).toBe("301 https://a.example/https");
  expect(await leadsTo("/port")).toBe("303 https://a.example:8443/port");
  expect(await leadsTo("/same")).toBe("307 http://a.example/same");
  expect(await leadsTo("/full/more?q=1")).toBe("308 http://a.example/x?q=1");
  expect(await leadsTo("/prefix/a%20b/?q")).toBe("302 http://a.example/y/a%20b/?q");
  expect(await leadsTo("/prefix")).toBe("302 http://a.example/y");
  expect(await leadsTo("/esc/x%20y")).toBe("302 http://a.example/a%20b/x%20y");
  expect(await leadsTo("/esc/x")).toBe("302 http://a.example/a%20b/x");

  const preflight = (origin: string, path = "/cors") =>
    ask(path, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "PATCH", "access-control-request-headers": "X-Two" },
    });
  const allowed = await preflight("https://a.example");
  expect([allowed.status, allowed.body]).toEqual([204, ""]);
  expect(allowed.headers).toMatchObject({
    "access-control-allow-origin": "https://a.example",
    "access-control-allow-methods": "GET, PUT",
    "access-control-allow-headers": "X-One",
    "access-control-max-age": "60",
  });
  expect(allowed.headers).not.toHaveProperty("access-control-allow-credentials");
  for (const origin of ["https://x.wild.example", "https://x.y.wild.example", "https://a.example:443"]) {
    expect((await preflight(origin)).headers["access-control-allow-origin"]).toBe(origin);
  }
  for (const origin of ["https://b.example", "http://a.example", "https://wild.example", "https://x.wild.example.b"]) {
    const refused = await preflight(origin);
    expect(refused.status).toBe(204);
    expect(refused.headers).not.toHaveProperty("access-control-allow-origin");
    expect(refused.headers).not.toHaveProperty("access-control-allow-methods");
  }
  expect((await preflight("https://z.example", "/any")).headers).toMatchObject({
    "access-control-allow-origin": "https://z.example",
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "PATCH",
    "access-control-allow-headers": "X-Two",
    "access-control-expose-headers": "X-Two",
  });
  const asked = await ask("/cors?header=Access-Control-Allow-Origin:*", { headers: { origin: "https://a.example" } });
  expect(asked.headers).toMatchObject({
    "access-control-allow-origin": "https://a.example",
    "access-control-expose-headers": "X-Seen",
    vary: "Origin",
  });
  expect(JSON.parse(asked.body).backend).toBe(1);
  expect(JSON.parse((await ask("/cors", { method: "OPTIONS" })).body).method).toBe("OPTIONS");
});

test("copies have paths of their own, a deadline ends a request with 504, and a backend may accept only HTTP/2", async () => {
  const at = "127.0.0.59:18810";
  await http2Backend(7, 9001);
  const it = await serve(18_800, at, [
    rule("/copied", {
      mirrors: [
        { upstream: "b2", share: 1 },
        { upstream: "b3", share: 1 },
        { upstream: "b4", share: 0 },
      ],
    }),
    rule("/slow", { timeouts: { request: 300, backendRequest: undefined } }),
    rule("/h2", {}, { to: [{ upstream: "h2", protocol: "h2c" }] }),
    rule("/attempt", { timeouts: { request: undefined, backendRequest: 300 } }),
  ]);
  const ask = (path: string, more: Partial<RequestOptions> = {}) =>
    request({ to: at, host: "a.example", path, ...more });
  const agent = keepalive();
  const began = performance.now();
  expect((await ask("/copied/x?wait=0", { method: "POST", body: "hello", agent })).status).toBe(200);
  const all = [...it.seen()];
  await until("both copies came", () => {
    all.push(...it.seen());
    return all.length >= 3;
  });
  agent.destroy();
  expect(all.map(({ backend }) => backend).sort()).toEqual([1, 2, 3]);
  for (const one of all) expect(one).toMatchObject({ method: "POST", url: "/copied/x?wait=0", body: "hello" });
  expect(performance.now() - began).toBeLessThan(20_000);

  expect(JSON.parse((await ask("/h2/a?b", { method: "POST", body: "x" })).body)).toMatchObject({
    http: "2.0",
    url: "/h2/a?b",
  });
  expect((await ask("/slow?wait=0")).status).toBe(200);
  expect((await ask("/slow?wait=5000")).status).toBe(504);
  expect((await ask("/attempt?wait=5000")).status).toBe(504);
  const tries = it.seen().filter(({ url }) => url.startsWith("/attempt"));
  expect(tries.length, "a slow attempt is not made again").toBe(1);
});

test("0s lifts the limits of the ConfigMap, and no limit of a route lengthens the time to connect", async () => {
  const at = "127.0.0.59:18810";
  const deaf = await listensDeafly("127.0.0.61");
  const it = await startGateways(18_800);
  const short = { proxyReadTimeout: 1, proxyConnectTimeout: 1 };
  const features = unannotated({ ...defaultSettings, ...short });
  const limit = (path: string, backendRequest: number, upstream = "b1") =>
    rule(path, { timeouts: { request: undefined, backendRequest } }, { to: [{ upstream }], features });
  await it.put({
    ports: [port("a", "127.0.0.59", 18_810, { web: "" }, { port: 80 })],
    hosts: [
      host("shop/a/web", "_", [
        rule("/usual", {}, { features }),
        limit("/free", noLimit),
        limit("/deaf", 120_000, "deaf"),
        limit("/freely/deaf", noLimit, "deaf"),
      ]),
    ],
    endpoints: { deaf: { address: "127.0.0.61", port: deaf.port } },
    settings: short,
  });
  const ask = async (path: string) => (await request({ to: at, host: "a.example", path })).status;
  expect(await ask("/usual?wait=2500")).toBe(504);
  expect(await ask("/free?wait=2500")).toBe(200);
  const began = performance.now();
  expect(await Promise.all([ask("/deaf"), ask("/freely/deaf")])).toEqual([504, 504]);
  expect(performance.now() - began).toBeLessThan(60_000);
});

test("a route sets the forwarded headers itself, and each backend has its own path", async () => {
  const at = "127.0.0.58:18810";
  const set = (name: string, value: string) => [{ name, value }];
  const none = { set: [], add: [], remove: [] };
  const path = (to: string) => ({ rewrite: { hostname: undefined, path: { type: "full", path: to } as const } });
  await serve(18_800, at, [
    rule("/own", {
      requestHeaders: { ...none, set: set("X-Forwarded-For", "192.0.2.7"), remove: ["X-Forwarded-Proto", "x-real-ip"] },
    }),
    rule("/added", { requestHeaders: { ...none, add: set("X-Forwarded-For", "192.0.2.7") } }),
    rule(
      "/paths",
      {},
      {
        to: [
          { upstream: "b1", filters: path("/one") },
          { upstream: "b2", filters: path("/two") },
        ],
      },
    ),
  ]);
  const forged = { "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Real-IP": "203.0.113.9" };
  const seen = async (where: string) =>
    JSON.parse((await request({ to: at, host: "a.example", path: where, headers: forged })).body);
  const own = (await seen("/own")).headers;
  expect(own["x-forwarded-for"]).toBe("192.0.2.7");
  expect([own["x-forwarded-proto"], own["x-real-ip"]]).toEqual([undefined, undefined]);
  expect(own["x-forwarded-host"], "the others are Sluice's").toBe("a.example");
  expect(own.connection, "and so is what frames the connection").not.toBe("keep-alive, upgrade");
  expect((await seen("/added")).headers["x-forwarded-for"], "a client's is never passed on").toBe("127.0.0.1");
  const paths = new Set<string>();
  for (let n = 0; n < 60 && paths.size < 2; n++) {
    const { backend, url } = await seen("/paths");
    expect(url).toBe(backend === 1 ? "/one" : "/two");
    paths.add(url);
  }
  expect(paths.size).toBe(2);
});
