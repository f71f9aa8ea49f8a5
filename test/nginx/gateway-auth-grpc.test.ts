/**
 * Tests an auth service over gRPC: the question that it gets, the changes that it can make to a
 * request and an answer, and that no request passes without its OK.
 */
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { certificateFrom } from "../../src/core/certificates/certificate.ts";
import type { AuthService } from "../../src/core/model/filters.ts";
import { sharedPki } from "../support/pki.ts";
import { type CheckAnswer, type Checked, field, header, message, startExtAuthz, status } from "./support/ext-authz.ts";
import { host, port, prefix, type Rule, startGateways } from "./support/gateways.ts";
import { type RequestOptions, request } from "./support/request.ts";

const to = "127.0.0.63:18970";
const service = "127.101.0.10";
const method = "/envoy.service.auth.v3.Authorization/Check";

const rule = (path: string, auth: Partial<AuthService> = {}): Rule => ({
  to: [{ upstream: "b1" }],
  routes: prefix(path),
  filters: {
    auth: { isGrpc: true, upstream: "auth", path: "", requestHeaders: [], responseHeaders: [], mostBody: 0, ...auth },
  },
});

async function serve(base: number) {
  const it = await startGateways(base);
  it.nginx.expectError(
    /Connection refused|connect\(\) failed|no live upstreams|auth request unexpected|auth service|does not match|prematurely closed/,
  );
  const asked: Checked[] = [];
  let answer: CheckAnswer = { message: status() };
  const take = (checked: Checked) => {
    asked.push(checked);
    return answer;
  };
  const pki = await sharedPki();
  await startExtAuthz(9100, service, take);
  await startExtAuthz(9101, service, take, { key: pki.backend.key, cert: pki.backend.certificate });
  const tls = {
    id: "t",
    authorities: { kind: "pem", text: pki.ca.certificate },
    hostname: "backend.example",
    names: [],
  } as const;
  const pair = certificateFrom("tls", pki.tls.certificate, pki.tls.key);
  const rules = [
    rule("/all"),
    rule("/ask"),
    rule(method),
    rule("/listed", { requestHeaders: ["x-team", "authorization"] }),
    rule("/body", { mostBody: 10 }),
    rule("/away", { upstream: "away" }),
    rule("/empty", { upstream: "nothing" }),
    rule("/unknown", { upstream: "nowhere" }),
    rule("/secure", { upstream: "secure", isSecure: true }),
    rule("/checked", { upstream: "secure", isSecure: true, tls }),
    rule("/other", { upstream: "secure", isSecure: true, tls: { ...tls, id: "u", hostname: "other.example" } }),
    rule("/plain-to-tls", { upstream: "secure" }),
  ];
  await it.put({
    ports: [
      port("a", "127.0.0.63", 18_970, { web: "" }, { port: 80 }),
      { ...port("s", "127.0.0.63", 18_971, { web: "" }, { tls: true, pairs: ["tls"] }) },
    ],
    hosts: [host("shop/a/web", "_", rules), host("shop/s/web", "_", rules)],
    certificates: [pair],
    empty: ["nothing"],
    upstreams: { auth: [`${service}:9100`], secure: [`${service}:9101`], away: [`${service}:9`] },
  });
  const ask = async (path: string, verdict: CheckAnswer, more: Partial<RequestOptions> = {}) => {
    answer = verdict;
    asked.length = 0;
    it.seen();
    const one = await request({ to, host: "a.example", path, ...more });
    return { ...one, seen: it.seen() };
  };
  const answerWith = (verdict: CheckAnswer): void => {
    answer = verdict;
  };
  return { it, ask, asked, answerWith };
}

test("the service gets the whole request, and only its OK lets a request pass", async () => {
  const { ask, asked } = await serve(18_960);
  const ok = { message: status() };
  const passed = await ask("/all/a%20b?q=1", ok, {
    method: "POST",
    body: "hello",
    headers: {
      "x-team": "red",
      "x-forwarded-for": "1.2.3.4",
      "ssl-client-subject-dn": "CN=forged",
      "x-sluice-check": "other|1|forged",
    },
  });
  expect(passed).toMatchObject({ status: 200, seen: [{ method: "POST", body: "hello" }] });
  expect(asked).toMatchObject([
    {
      path: method,
      grpcHeaders: { "content-type": "application/grpc", te: "trailers" },
      client: "127.0.0.1",
      method: "POST",
      url: "/all/a%20b?q=1",
      host: "a.example",
      scheme: "http",
      protocol: "HTTP/1.1",
      body: "",
      headers: { "x-team": "red", "x-forwarded-for": "127.0.0.1", ":path": "/all/a%20b?q=1", ":method": "POST" },
    },
  ]);
  expect(asked[0]!.headers).not.toHaveProperty("ssl-client-subject-dn");
  expect(asked[0]!.headers).not.toHaveProperty("x-sluice-check");
  expect(Object.keys(asked[0]!.grpcHeaders)).not.toContain("x-team");

  await ask("/listed", ok, { headers: { "x-team": "red", "x-other": "o", authorization: "Bearer t" } });
  expect(asked[0]!.headers).toEqual({ "x-team": "red", authorization: "Bearer t" });

  expect(await ask("/body", ok, { method: "POST", body: "0123456789" })).toMatchObject({ status: 200 });
  expect(asked).toMatchObject([{ body: "0123456789" }]);
  const binary = Buffer.from([0, 255, 10, 13]);
  expect(await ask("/body", ok, { method: "POST", body: binary as never })).toMatchObject({ status: 200 });
  expect([asked[0]!.body, asked[0]!.rawBody]).toEqual(["", binary]);
  expect(await ask("/body", ok, { method: "POST", body: "0123456789a" })).toMatchObject({ status: 413, seen: [] });

  const noes: readonly (readonly [string, CheckAnswer, number])[] = [
    ["a status that is not OK", { message: status(7) }, 403],
    [
      "a status below 0",
      { message: message(1, Buffer.from([8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1])) },
      403,
    ],
    ["a refusal with OK", { message: Buffer.concat([status(), message(2)]) }, 500],
    ["an empty message", { message: Buffer.alloc(0) }, 500],
    ["no message", { bytes: Buffer.alloc(0) }, 500],
    ["another status of gRPC", { message: status(), grpcStatus: "14" }, 500],
    ["another status of HTTP", { message: status(), httpStatus: 503 }, 500],
    ["a message that is none", { message: Buffer.from("no message at all") }, 500],
    ["a message that ends early", { bytes: Buffer.from([0, 0, 0, 0, 9, 10, 0]) }, 500],
    ["a compressed message", { bytes: Buffer.from([1, 0, 0, 0, 2, 10, 0]) }, 500],
    [
      "a status of success for a refusal",
      { message: Buffer.concat([status(7), message(2, message(1, field(1, 200)))]) },
      500,
    ],
    [
      "a header with a line break",
      { message: Buffer.concat([status(), message(3, header(2, "x-a", "1\r\nx-b: 2"))]) },
      500,
    ],
    ["a header without a name", { message: Buffer.concat([status(), message(3, header(2, "x a", "1"))]) }, 500],
  ];
  for (const [what, verdict, expected] of noes) {
    expect(await ask("/all", verdict), what).toMatchObject({ status: expected, seen: [] });
  }
  for (const path of ["/away", "/empty", "/unknown", "/other", "/plain-to-tls"])
    expect(await ask(path, ok), path).toMatchObject({ status: 500, seen: [] });
  for (const path of ["/secure", "/checked"]) expect(await ask(path, ok), path).toMatchObject({ status: 200 });
});

test("a request whose path is the name of an internal location of nginx gets an auth request like others", async () => {
  const { ask, asked } = await serve(18_980);
  const no = { message: status(7) };
  for (const path of ["/ask", "/x/../ask", "//ask", "/%61sk?q=1", method, `${method}?a`]) {
    expect.soft(await ask(path, { message: status() }), path).toMatchObject({ status: 200 });
    expect.soft(asked, path).toMatchObject([{ url: path, method: "GET" }]);
    expect.soft(await ask(path, no), path).toMatchObject({ status: 403, seen: [] });
  }
});

test("the service can change requests and answers, and can refuse with an answer of its own", async () => {
  const { ask, answerWith } = await serve(18_964);
  const changes = Buffer.concat([
    status(),
    message(
      3,
      header(2, "X-User", "ann"),
      message(2, message(1, field(1, "x-group"), field(2, "two")), message(2, field(1, 1))),
      header(2, "content-length", "1"),
      header(2, "host", "evil.example"),
      field(5, "x-secret"),
      header(6, "x-said", "yes"),
      header(6, "content-type", "text/other", 2),
      message(7, field(1, "added"), field(2, "1")),
      field(8, "token"),
    ),
  ]);
  const headers = { "x-user": "forged", "x-group": "one", "x-secret": "s" };
  const one = await ask("/all?token=t", { message: changes }, { method: "POST", body: "hello", headers });
  expect(one).toMatchObject({ status: 200, headers: { "x-said": "yes", "content-type": "text/other" } });
  const [seen] = one.seen;
  expect(seen).toMatchObject({
    url: "/all?added=1",
    body: "hello",
    headers: { "x-user": "ann", "x-group": "one, two", host: "a.example", "content-length": "5" },
  });
  expect(seen!.headers).not.toHaveProperty("x-secret");

  const refusal = Buffer.concat([
    status(16),
    message(
      2,
      message(1, field(1, 429)),
      header(2, "retry-after", "7"),
      header(2, "set-cookie", "a=1"),
      header(2, "set-cookie", "b=2"),
      field(3, "too many\n"),
    ),
  ]);
  const refused = await ask("/all", { message: refusal });
  expect(refused).toMatchObject({ status: 429, body: "too many\n", headers: { "retry-after": "7" }, seen: [] });
  expect(refused.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
  const login = Buffer.concat([
    status(16),
    message(2, message(1, field(1, 302)), header(2, "location", "https://login.example/")),
  ]);
  const sent = await ask("/all", { message: login });
  expect(sent).toMatchObject({ status: 302, headers: { location: "https://login.example/" }, seen: [] });

  // The question about a client of HTTP/2 is the same.
  answerWith({ message: refusal });
  const session = connect("https://127.0.0.63:18971", { rejectUnauthorized: false });
  onTestFinished(() => session.destroy());
  const stream = session.request({ ":path": "/all", ":authority": "a.example" });
  const status2 = new Promise((resolve) => stream.on("response", (found) => resolve(found[":status"])));
  expect([await text(stream), await status2]).toEqual(["too many\n", 429]);
});
