/**
 * Retries of routes: which failures are tried again, how often, after which pause, and which
 * requests are never repeated.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { Retries } from "../../src/core/model/filters.ts";
import { host, port, prefix, type Rule, startGateways } from "./support/gateways.ts";
import { type RequestOptions, request } from "./support/request.ts";

const to = "127.0.0.60:18830";

/**
 * Fails the first requests of each `id` as the query says, and then answers the number of requests
 * so far.
 */
async function flaky(n: number): Promise<{ readonly asked: Map<string, number[]> }> {
  const asked = new Map<string, number[]>();
  const server = createServer(async (incoming, response) => {
    const query = new URL(incoming.url ?? "/", "http://x").searchParams;
    const id = query.get("id") ?? "";
    const times = [...(asked.get(id) ?? []), performance.now()];
    asked.set(id, times);
    const body = await text(incoming);
    if (times.length > Number(query.get("fails"))) {
      const { "x-add": added = "" } = incoming.headers;
      return response.end(JSON.stringify({ tries: times.length, body, added, method: incoming.method }));
    }
    const how = query.get("how") ?? "500";
    if (how === "reset") return incoming.socket.resetAndDestroy();
    if (how === "hang") return;
    response.statusCode = Number(how);
    return response.end(`failure ${times.length}`);
  });
  server.listen(9000, `127.101.0.${n}`);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked };
}

const rule = (path: string, retries: Partial<Retries>, { filters, ...more }: Partial<Rule> = {}): Rule => ({
  to: [{ upstream: "flaky" }],
  routes: prefix(path),
  filters: { retries: { attempts: 2, codes: [], backoff: 0, ...retries }, ...filters },
  ...more,
});

test("a request is repeated after the failures of its route, unless the backend may have processed it", async () => {
  const it = await startGateways(18_820);
  it.nginx.expectError(/upstream (timed out|prematurely closed)|Connection (refused|reset)|connect\(\) failed/);
  const { asked } = await flaky(9);
  const refusing = createTcpServer();
  refusing.listen(0, "127.101.0.10");
  await once(refusing, "listening");
  const { port: closed } = refusing.address() as { port: number };
  refusing.close();
  const added = { requestHeaders: { set: [], add: [{ name: "X-Add", value: "one" }], remove: [] } };
  const soon = { request: 700, backendRequest: undefined };
  const rules = [
    rule("/codes", { codes: [500, 503], attempts: 3 }),
    rule("/pause", { codes: [500, 503], attempts: 3, backoff: 120 }, { filters: added, rule: "named" }),
    rule("/most", { codes: [500], attempts: 9, backoff: 1 }),
    rule("/none", {}),
    rule("/never", { codes: [500], attempts: 0 }),
    rule("/slow", { backoff: 20 }, { filters: { timeouts: { request: undefined, backendRequest: 200 } } }),
    rule("/late", { codes: [500], attempts: 9, backoff: 200 }, { filters: { timeouts: soon } }),
    rule("/hang", { attempts: 9 }, { filters: { timeouts: { request: 700, backendRequest: 300 } } }),
    rule("/away", { backoff: 10 }, { to: [{ upstream: "away" }] }),
    rule("/gone", { codes: [503], backoff: 10 }, { to: [{ upstream: "gone" }] }),
  ];
  const ports = [port("a", "127.0.0.60", 18_830, { web: "" }, { port: 80 })];
  const upstreams = { flaky: ["127.101.0.9:9000"], away: [`127.101.0.10:${closed}`, "127.101.0.9:9000"] };
  await it.put({ ports, hosts: [host("shop/a/web", "_", rules)], empty: ["gone"], upstreams });

  let count = 0;
  const ask = async (path: string, query: string, more: Partial<RequestOptions> = {}) => {
    count += 1;
    const id = String(count);
    const began = performance.now();
    const { status, body } = await request({ to, host: "a.example", path: `${path}?${query}&id=${id}`, ...more });
    const times = asked.get(id) ?? [];
    return { status, body, tries: times.length, tookMs: performance.now() - began, times };
  };

  expect(await ask("/codes", "fails=3&how=500")).toMatchObject({ status: 200, tries: 4 });
  const last = await ask("/codes", "fails=9&how=503");
  expect(last, "the last answer is the client's, with its body").toMatchObject({
    status: 503,
    body: "failure 4",
    tries: 4,
  });
  expect(await ask("/codes", "fails=9&how=502")).toMatchObject({ status: 502, body: "failure 1", tries: 1 });
  const post = { method: "POST", body: "x".repeat(100_000) };
  const sent = await ask("/codes", "fails=2&how=503", post);
  expect(JSON.parse(sent.body), "a code is the author's word for every method").toMatchObject({ tries: 3, ...post });

  const paused = await ask("/pause", "fails=2&how=500", post);
  expect(JSON.parse(paused.body), "nothing is done twice").toMatchObject({ tries: 3, added: "one", ...post });
  expect(paused.times[1]! - paused.times[0]!).toBeGreaterThanOrEqual(115);
  expect(paused.times[2]! - paused.times[1]!).toBeGreaterThanOrEqual(115);
  expect(await ask("/pause", "fails=9&how=503")).toMatchObject({ status: 503, body: "failure 4", tries: 4 });
  expect(await ask("/most", "fails=9&how=500"), "as many as nginx can jump").toMatchObject({ status: 200, tries: 10 });
  expect(await ask("/most", "fails=10&how=500")).toMatchObject({ status: 500, body: "failure 10", tries: 10 });

  expect(await ask("/none", "fails=2&how=reset")).toMatchObject({ status: 200, tries: 3 });
  expect(await ask("/none", "fails=3&how=reset")).toMatchObject({ status: 502, tries: 3 });
  expect(await ask("/none", "fails=3&how=500")).toMatchObject({ status: 500, tries: 1 });
  expect(await ask("/never", "fails=1&how=500")).toMatchObject({ status: 500, tries: 1 });
  expect(await ask("/never", "fails=1&how=reset")).toMatchObject({ status: 502, tries: 1 });
  for (const path of ["/none", "/pause", "/codes"]) {
    expect(await ask(path, "fails=1&how=reset", { method: "POST", body: "x" }), path).toMatchObject({
      status: 502,
      tries: 1,
    });
  }
  expect(await ask("/pause", "fails=1&how=reset", { method: "PUT", body: "x" })).toMatchObject({
    status: 200,
    tries: 2,
  });

  expect(await ask("/slow", "fails=2&how=hang")).toMatchObject({ status: 200, tries: 3 });
  expect(await ask("/slow", "fails=3&how=hang")).toMatchObject({ status: 504, tries: 3 });
  expect(await ask("/slow", "fails=1&how=hang", { method: "POST" })).toMatchObject({ status: 504, tries: 1 });
  const late = await ask("/late", "fails=9&how=500");
  expect(late.status).toBe(504);
  expect(late.tries).toBeLessThanOrEqual(4);
  const hanging = await ask("/hang", "fails=9&how=hang");
  expect(hanging).toMatchObject({ status: 504 });
  expect(hanging.tries).toBeGreaterThan(1);

  for (let n = 0; n < 4; n++) {
    const away = await ask("/away", "fails=0", { method: "POST", body: "hello" });
    expect(JSON.parse(away.body), "nothing was sent, so another endpoint may be asked").toMatchObject({
      tries: 1,
      body: "hello",
    });
  }
  expect((await ask("/gone", "fails=0")).status, "its own answers are not tried again").toBe(503);
});
