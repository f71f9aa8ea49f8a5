/**
 * Tests gRPC calls through GRPCRoutes on a real nginx, as gRPC libraries make them: over TLS, and
 * without TLS if nginx accepts HTTP/2 and HTTP/1 on one port. Server and client use Node's own
 * HTTP/2.
 */
import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { certificateFrom } from "../../src/core/certificates/certificate.ts";
import type { Conditions } from "../../src/core/model/configuration.ts";
import { sharedPki } from "../support/pki.ts";
import { host, owner, port, prefix, type Rule, startGateways } from "./support/gateways.ts";
import { request } from "./support/request.ts";

const tlsPort = 18_951;
const plainPort = 18_950;
const address = "127.0.0.61";

/** Echoes each message as it arrives, returns what it saw in headers, and ends with trailers. */
function answerCalls(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, backend: string): void {
  stream.on("error", () => {});
  const seen = Object.fromEntries(
    ["te", "grpc-timeout", "x-added", ":path", "host"].map((name) => [
      `seen-${name.replace(":", "")}`,
      String(headers[name] ?? "none"),
    ]),
  );
  const kind = String(headers["content-type"]);
  stream.respond({ "content-type": kind, backend, ...seen, "x-secret": "1" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "5", "grpc-message": "not here" }));
  stream.on("data", (message: Buffer) => stream.write(message.toString().toUpperCase()));
  stream.on("end", () => stream.end());
}

async function startBackends(): Promise<void> {
  const pki = await sharedPki();
  const plain = createServer().listen(9001, "127.101.0.7");
  const secure = createSecureServer({ key: pki.backend.key, cert: pki.backend.certificate }).listen(
    9002,
    "127.101.0.7",
  );
  plain.on("stream", (stream, headers) => answerCalls(stream, headers, "plain"));
  secure.on("stream", (stream, headers) => answerCalls(stream, headers, "secure"));
  onTestFinished(() => {
    plain.close();
    secure.close();
  });
  await Promise.all([once(plain, "listening"), once(secure, "listening")]);
}

interface Called {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly message: string;
}

function begin(session: ClientHttp2Session, path: string, headers: object = {}): ClientHttp2Stream {
  const pseudo = { ":method": "POST", ":path": path, ":authority": "calls.example" };
  return session.request({ ...pseudo, "content-type": "application/grpc", te: "trailers", ...headers });
}

async function call(session: ClientHttp2Session, path: string, message: string, headers: object = {}): Promise<Called> {
  const stream = begin(session, path, headers);
  let trailers: IncomingHttpHeaders = {};
  stream.on("trailers", (found) => {
    trailers = found;
  });
  const response = once(stream, "response");
  stream.end(message);
  const [found] = (await response) as [IncomingHttpHeaders & { ":status"?: number }];
  const answer = await text(stream);
  return { status: found[":status"] ?? 0, headers: found, trailers, message: answer };
}

const calls = (more: Partial<Conditions> = {}): Conditions => ({
  method: "POST",
  headers: [],
  query: [],
  call: [],
  ...more,
});

const h2 = { upstream: "h2", protocol: "h2c" } as const;
const grpc: Partial<Rule> = { owner: owner("GRPCRoute", "calls"), unusableStatus: 503 };
const exact = (path: string, conditions = calls()): Rule["routes"] => [{ match: "exact", path, conditions }];
const problem = { object: owner("GRPCRoute", "calls"), kind: "value-unusable", field: "", why: "", done: "" } as const;

const noChanges = { set: [], add: [], remove: [] };
const rules: readonly Rule[] = [
  { ...grpc, to: [h2], routes: exact("/shop.Items/Get") },
  { to: [{ upstream: "b1" }], routes: [{ match: "exact", path: "/shop.Items/Get" }] },
  {
    ...grpc,
    to: [h2],
    routes: exact("/shop.Items/Filtered"),
    filters: {
      requestHeaders: { ...noChanges, set: [{ name: "x-added", value: "yes" }] },
      responseHeaders: { ...noChanges, remove: ["x-secret"] },
    },
  },
  { ...grpc, to: [{ upstream: "h2s", protocol: "grpcs" }], routes: exact("/shop.Items/Secure") },
  { ...grpc, to: [{ upstream: "h2", unusable: problem }], routes: exact("/shop.Items/Broken") },
  { ...grpc, to: [{ upstream: "nothing", protocol: "h2c" }], routes: exact("/shop.Items/Away") },
  {
    ...grpc,
    to: [{ ...h2, weight: 0 }],
    routes: exact("/shop.Items/Weightless"),
  },
  { ...grpc, to: [h2], routes: prefix("/shop.Service", { conditions: calls() }) },
  {
    ...grpc,
    to: [h2],
    routes: prefix("/", {
      conditions: calls({
        call: [
          { name: "service", type: "regex", value: "pkg\\.v[12]" },
          { name: "method", type: "regex", value: "G.*" },
        ],
      }),
    }),
  },
  {
    ...grpc,
    to: [h2],
    routes: prefix("/", { conditions: calls({ call: [{ name: "method", type: "exact", value: "Any" }] }) }),
  },
];

/** Starts nginx with one port without TLS and one with it. */
async function start(base: number) {
  const pki = await sharedPki();
  const it = await startGateways(base);
  const connected = (origin: string) => {
    const session = connect(origin, { rejectUnauthorized: false });
    session.on("error", () => {});
    onTestFinished(() => session.destroy());
    return session;
  };
  return {
    it,
    places: {
      ports: [
        port("a", address, plainPort, { web: "" }),
        { ...port("s", address, tlsPort, { web: "" }, { tls: true, pairs: ["tls"] }) },
      ],
      certificates: [certificateFrom("tls", pki.tls.certificate, pki.tls.key)],
    },
    hosts: (all: readonly Rule[]) => ["a", "s"].map((at) => host(`shop/${at}/web`, "calls.example", all)),
    /** Opens a connection over TLS, and one without TLS if nginx supports that. */
    open: () => [
      connected(`https://${address}:${tlsPort}`),
      ...(it.nginx.capabilities.http2Directive ? [connected(`http://${address}:${plainPort}`)] : []),
    ],
  };
}

async function serve(base: number) {
  await startBackends();
  const { it, places, hosts, open } = await start(base);
  await it.put({ ...places, hosts: hosts(rules), empty: ["nothing"] });
  return { it, sessions: open() };
}

test("a call goes to the backend of its service and method, with its trailers, deadline and filters", async () => {
  const { sessions } = await serve(18_940);
  for (const session of sessions) {
    const long = "m".repeat(300_000);
    const answer = await call(session, "/shop.Items/Get", long, { "grpc-timeout": "5S" });
    expect({ ...answer, message: answer.message === long.toUpperCase() }).toMatchObject({
      status: 200,
      headers: {
        "content-type": "application/grpc",
        backend: "plain",
        "seen-te": "trailers",
        "seen-grpc-timeout": "5S",
        "seen-path": "/shop.Items/Get",
        "seen-host": "calls.example",
      },
      trailers: { "grpc-status": "5", "grpc-message": "not here" },
      message: true,
    });
    const filtered = await call(session, "/shop.Items/Filtered", "x");
    expect(filtered.headers).toMatchObject({ "seen-x-added": "yes" });
    expect(filtered.headers["x-secret"]).toBeUndefined();
    expect((await call(session, "/shop.Items/Secure", "x")).headers.backend).toBe("secure");
    const status = async (path: string, headers = {}) => (await call(session, path, "x", headers)).status;
    expect(await status("/shop.Service/Whatever")).toBe(200);
    expect(await status("/pkg.v1/Get"), "patterns take service and method as a whole").toBe(200);
    expect(await status("/pkg.v3/Get")).toBe(404);
    expect(await status("/pkg.v1x/Get")).toBe(404);
    expect(await status("/other.Service/Any"), "a method of any service").toBe(200);
    expect(await status("/other.Service/AnyOther"), "UNIMPLEMENTED for clients").toBe(404);
    expect(await status("/other.Service/Any", { "content-type": "application/grpc+proto" })).toBe(200);
    expect(await status("/other.Service/Any", { "content-type": "application/json" }), "no gRPC call").toBe(404);
    for (const path of ["/shop.Items/Broken", "/shop.Items/Away", "/shop.Items/Weightless"])
      expect(await status(path), `${path}: UNAVAILABLE for clients`).toBe(503);
  }
});

test("messages of a stream go both ways while it lasts", async () => {
  const { sessions } = await serve(18_944);
  for (const session of sessions) {
    const stream = begin(session, "/shop.Items/Get");
    stream.setEncoding("utf8");
    for (const message of ["one", "two", "three"]) {
      stream.write(message);
      expect((await once(stream, "data"))[0]).toBe(message.toUpperCase());
    }
    const trailers = once(stream, "trailers");
    stream.end();
    expect((await trailers)[0]).toMatchObject({ "grpc-status": "5" });
  }
});

test("an HTTPRoute gets requests on the same host and path that are not gRPC calls", async () => {
  await serve(18_936);
  const { status, body } = await request({
    to: `${address}:${plainPort}`,
    host: "calls.example",
    path: "/shop.Items/Get",
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  expect([status, JSON.parse(body).backend]).toEqual([200, 1]);
});

test("a gRPC client stays with the endpoint that answered first", async () => {
  const endpoints = ["127.101.0.7", "127.101.0.8"].map((ip) => [ip, `${ip}:9003`] as const);
  for (const [ip] of endpoints) {
    const server = createServer().listen(9003, ip);
    server.on("stream", (stream, headers) => answerCalls(stream, headers, ip));
    onTestFinished(() => void server.close());
    await once(server, "listening");
  }
  const { it, places, hosts, open } = await start(18_954);
  const session = { name: "X-Session", path: "/", seconds: undefined, isPermanent: false } as const;
  const kept = (path: string, type: "header" | "cookie", binding: string): Rule => ({
    ...grpc,
    to: [{ upstream: "both", protocol: "h2c" }],
    routes: prefix(path, { conditions: calls() }),
    filters: { session: { ...session, type, binding } },
  });
  const rules = [kept("/shop.Header", "header", "ab"), kept("/shop.Cookie", "cookie", "cd")];
  const upstreams = { both: endpoints.map(([, endpoint]) => endpoint) };
  await it.put({ ...places, hosts: hosts(rules), upstreams });
  for (const connection of open()) {
    const backends = async (path: string, headers: object) => {
      const answers: Called[] = [];
      for (let n = 0; n < 6; n++) answers.push(await call(connection, path, "m", headers));
      return [...new Set(answers.map((one) => one.headers.backend))].sort();
    };
    expect(await backends("/shop.Header/Get", {}), "new clients go to all").toEqual(endpoints.map(([ip]) => ip));
    const first = await call(connection, "/shop.Header/Get", "m");
    const token = String(first.headers["x-session"]);
    expect(token).toMatch(/^[0-9a-f]{32}\.ab$/);
    expect(await backends("/shop.Header/Put", { "x-session": token })).toEqual([first.headers.backend]);
    const other = await call(connection, "/shop.Cookie/Get", "m");
    const [cookie = ""] = other.headers["set-cookie"] ?? [];
    const [pair = ""] = cookie.split(";");
    expect(pair).toMatch(/^X-Session=[0-9a-f]{32}\.cd$/);
    expect(await backends("/shop.Cookie/Get", { cookie: pair })).toEqual([other.headers.backend]);
  }
});
