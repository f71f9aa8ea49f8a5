/**
 * The auth service of a rule: the request that it gets, the answers that let a request pass, and
 * the limits of clients and answers.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { AuthService } from "../../src/core/model/filters.ts";
import { host, port, prefix, type Rule, startGateways } from "./support/gateways.ts";
import { type RequestOptions, request } from "./support/request.ts";

const to = "127.0.0.62:18870";

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/**
 * Starts an auth service. It answers by the request's header `x-answer`, which has a status and
 * then headers.
 */
async function authService(): Promise<Asked[]> {
  const asked: Asked[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "", headers } = incoming;
    asked.push({ method, url, headers, body: await text(incoming) });
    const [status = "200", ...pairs] = String(headers["x-answer"] ?? "200").split("|");
    for (const pair of pairs) response.appendHeader(...(pair.split("=") as [string, string]));
    response.statusCode = Number(status);
    response.end("said by the auth service");
  };
  const server = createServer((...both) => void answer(...both));
  server.listen(9000, "127.101.0.9");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return asked;
}

const rule = (path: string, auth: Partial<AuthService>, { filters, ...more }: Partial<Rule> = {}): Rule => ({
  to: [{ upstream: "b1" }],
  routes: prefix(path),
  filters: {
    auth: {
      upstream: "auth",
      path: "",
      requestHeaders: ["x-answer"],
      responseHeaders: ["x-user"],
      mostBody: 0,
      ...auth,
    },
    ...filters,
  },
  ...more,
});

test("only the status 200 lets a request pass, and none passes while the service cannot be reached", async () => {
  const it = await startGateways(18_860);
  it.nginx.expectError(/Connection refused|connect\(\) failed|no live upstreams|auth request unexpected status/);
  const asked = await authService();
  const retries = { attempts: 2, codes: [500, 403] as const, backoff: 5 };
  await it.put({
    ports: [port("a", "127.0.0.62", 18_870, { web: "" }, { port: 80 })],
    hosts: [
      host("shop/a/web", "_", [
        rule("/plain", {}),
        rule("/path", { path: "/check", requestHeaders: ["x-answer", "x-forwarded-for", "x-team"] }),
        rule("/all", { responseHeaders: [] }),
        rule("/body", { mostBody: 10 }),
        rule("/away", { upstream: "away" }),
        rule("/empty", { upstream: "none" }),
        rule("/unknown", { upstream: "nowhere" }),
        rule("/retried", {}, { filters: { retries } }),
        rule("/h2", {}, { to: [{ upstream: "b1", protocol: "h2c" }] }),
        rule(
          "/split",
          {},
          {
            to: [
              { upstream: "b1" },
              { upstream: "b2", filters: { requestHeaders: { set: [], add: [], remove: ["x"] } } },
            ],
          },
        ),
      ]),
    ],
    upstreams: { auth: ["127.101.0.9:9000"], away: ["127.101.0.9:9"] },
  });
  const ask = async (path: string, answer = "200", more: Partial<RequestOptions> = {}) => {
    asked.length = 0;
    it.seen();
    const headers = { "x-answer": answer, ...more.headers };
    const one = await request({ to, host: "a.example", path, ...more, headers });
    return { status: one.status, headers: one.headers, seen: it.seen() };
  };
  const passes = async (path: string, answer?: string, more?: Partial<RequestOptions>) => {
    const { status, seen } = await ask(path, answer, more);
    expect([status, seen.length], `${path} ${answer}`).toEqual([200, 1]);
    return seen[0]!;
  };

  const one = await passes("/plain/a%20b?q=1", "200|X-User=ann|X-Other=o", {
    method: "POST",
    body: "hello",
    headers: { authorization: "Bearer t", cookie: "c=1", "x-user": "forged" },
  });
  expect(one).toMatchObject({ method: "POST", body: "hello", headers: { "x-user": "ann", cookie: "c=1" } });
  expect(one.headers).not.toHaveProperty("x-other");
  expect(asked).toMatchObject([{ method: "POST", url: "/plain/a%20b?q=1", body: "" }]);
  expect(asked[0]!.headers).toMatchObject({ host: "a.example", authorization: "Bearer t", "content-length": "0" });
  expect(Object.keys(asked[0]!.headers).sort()).toEqual(
    ["authorization", "content-length", "host", "x-answer", "x-sluice-hops"].sort(),
  );
  expect(
    (await passes("/plain", "200", { headers: { "x-user": "forged", X_User: "forged" } })).headers,
  ).not.toHaveProperty("x-user");

  for (const status of [201, 204, 206, 304, 400, 403, 404, 418, 429]) {
    expect(await ask("/plain", String(status)), `the auth service says ${status}`).toMatchObject({
      status: 403,
      seen: [],
    });
  }
  for (const status of [500, 502, 503])
    expect(await ask("/plain", String(status))).toMatchObject({ status: 500, seen: [] });
  const login = await ask("/plain", "401|WWW-Authenticate=Basic realm");
  expect(login).toMatchObject({ status: 401, headers: { "www-authenticate": "Basic realm" }, seen: [] });
  const elsewhere = await ask("/plain", "302|Location=https://login.example/?rd=x");
  expect(elsewhere).toMatchObject({ status: 302, headers: { location: "https://login.example/?rd" }, seen: [] });
  expect(await ask("/plain", "302")).toMatchObject({ status: 403, seen: [] });
  expect(await ask("/plain", "200|X-Accel-Redirect=/")).toMatchObject({ status: 200 });
  expect(await ask("/plain", "403|X-Accel-Redirect=/plain")).toMatchObject({ status: 403, seen: [] });

  await passes("/path/x?y", "200", { headers: { "x-forwarded-for": "1.2.3.4", "x-team": "red" } });
  expect(asked).toMatchObject([
    { url: "/check/path/x?y", headers: { "x-team": "red", "x-forwarded-for": "127.0.0.1" } },
  ]);

  const framing =
    "200|Transfer-Encoding=chunked|X-User=ann|Content_Length=3|Keep-Alive=x|Upgrade=x|Host=evil|X-Sluice-Hops=|Date=d";
  const all = await passes("/all", framing.replace("Transfer-Encoding=chunked|", ""), {
    method: "POST",
    body: "hello",
  });
  expect(all).toMatchObject({ body: "hello", headers: { "x-user": "ann", host: "a.example", "content-length": "5" } });
  for (const name of ["content_length", "keep-alive", "upgrade", "x-sluice-hops", "date", "content-type"]) {
    expect(all.headers, name).not.toHaveProperty(name);
  }

  expect(await passes("/body", "200", { method: "POST", body: "0123456789" })).toMatchObject({ body: "0123456789" });
  expect(asked).toMatchObject([{ body: "0123456789", headers: { "content-length": "10" } }]);
  expect(await ask("/body", "200", { method: "POST", body: "0123456789a" })).toMatchObject({ status: 413, seen: [] });
  expect(
    await ask("/body", "200", { method: "POST", body: "0123456789a", headers: { "transfer-encoding": "chunked" } }),
  ).toMatchObject({ status: 413, seen: [] });
  await passes("/body");
  expect(asked).toMatchObject([{ body: "" }]);

  for (const path of ["/away", "/empty", "/unknown"])
    expect(await ask(path), path).toMatchObject({ status: 500, seen: [] });
  expect(await ask("/retried", "403"), "a no is not tried again").toMatchObject({ status: 403, seen: [] });
  expect(await ask("/retried", "500")).toMatchObject({ status: 500, seen: [] });
  expect((await ask("/retried?status=500")).seen.length, "a failure of the backend is").toBe(3);
  for (let n = 0; n < 8; n++) expect(await ask("/split", "403")).toMatchObject({ status: 403, seen: [] });
  expect(await ask("/h2", "403")).toMatchObject({ status: 403, seen: [] });
  const many = Array.from({ length: 6 }, () => ",x").join("");
  expect((await ask("/plain", "200", { headers: { "x-sluice-hops": many } })).status, "questions in a circle").toBe(
    508,
  );
});
