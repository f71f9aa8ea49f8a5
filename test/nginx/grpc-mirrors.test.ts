/**
 * Copies of calls by the filter RequestMirror of GRPCRoutes: they are made when the call is over,
 * so that a client which waits for an answer before its next message is not held up. nginx needs a
 * module of the image for it.
 */
import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type IncomingHttpHeaders } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { unannotated } from "../../src/annotations/read.ts";
import { certificateFrom } from "../../src/certificates/certificate.ts";
import { defaultSettings } from "../../src/settings/registry.ts";
import { sharedPki } from "../support/pki.ts";
import { host, owner, port, prefix, type Rule, startGateways } from "./support/gateways.ts";
import { installedNginx } from "./support/installed.ts";
import { until } from "./support/until.ts";

const { keptBody } = await installedNginx();
const missing = "only the image's nginx has the module that keeps the bodies of calls";
const [address, tlsPort] = ["127.0.0.61", 18_975];

interface Call {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: string;
}

/** Echoes each message as it arrives, and notes calls that have come to their end. */
async function backendOn(ip: string): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const server = createServer().listen(9004, ip);
  server.on("stream", (stream, headers) => {
    let message = "";
    stream.on("error", () => {}).respond({ "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.setEncoding("utf8").on("data", (text: string) => {
      message += text;
      stream.write(text.toUpperCase());
    });
    stream.on("end", () => {
      calls.push({ path: String(headers[":path"]), headers, message });
      stream.end();
    });
  });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return calls;
}

/** Bodies of routes have no limit. */
const settings = { proxyBodySize: "0" as typeof defaultSettings.proxyBodySize };

const ruleFor = (path: string, share: number): Rule => ({
  features: unannotated({ ...defaultSettings, ...settings }),
  owner: owner("GRPCRoute", "calls"),
  unusableStatus: 503,
  to: [{ upstream: "own", protocol: "h2c" }],
  routes: prefix(path, { conditions: { method: "POST", headers: [], query: [], call: [] } }),
  filters: { mirrors: [{ upstream: "copies", share, way: { isHttp2: true }, isLate: true }] },
});

async function serve(base: number) {
  const pki = await sharedPki();
  const [calls, copies] = [await backendOn("127.101.0.21"), await backendOn("127.101.0.22")];
  const it = await startGateways(base);
  await it.put({
    settings,
    ports: [{ ...port("s", address, tlsPort, { web: "" }, { tls: true, pairs: ["tls"] }) }],
    certificates: [certificateFrom("tls", pki.tls.certificate, pki.tls.key)],
    hosts: [host("shop/s/web", "calls.example", [ruleFor("/shop.Items", 1), ruleFor("/shop.Seldom", 0)])],
    upstreams: { own: ["127.101.0.21:9004"], copies: ["127.101.0.22:9004"] },
  });
  return { calls, copies, session: connected() };
}

function connected(): ClientHttp2Session {
  const session = connect(`https://${address}:${tlsPort}`, { rejectUnauthorized: false });
  session.on("error", () => {});
  onTestFinished(() => session.destroy());
  return session;
}

function begin(session: ClientHttp2Session, path: string) {
  const pseudo = { ":method": "POST", ":path": path, ":authority": "calls.example" };
  const stream = session.request({ ...pseudo, "content-type": "application/grpc", te: "trailers", "x-user": "a" });
  return stream.setEncoding("utf8").on("error", () => {});
}

/** A whole call with one message; resolves with what came back. */
async function call(session: ClientHttp2Session, path: string, message: string): Promise<string> {
  const stream = begin(session, path);
  let answer = "";
  stream.on("data", (text: string) => (answer += text));
  stream.end(message);
  await once(stream, "end");
  return answer;
}

test("a call is copied with its headers and its message", async (context) => {
  if (!keptBody) context.skip(missing);
  const { calls, copies, session } = await serve(18_960);
  expect(await call(session, "/shop.Items/Get", "one")).toBe("ONE");
  await until("the copy", () => copies.length === 1);
  expect(copies[0]).toMatchObject({
    path: "/shop.Items/Get",
    message: "one",
    headers: { host: "calls.example", "content-type": "application/grpc", te: "trailers", "x-user": "a" },
  });
  const large = "m".repeat(400_000);
  expect((await call(session, "/shop.Items/Large", large)).length).toBe(large.length);
  await until("the copy of a large message", () => copies.length === 2);
  expect(copies[1]!.message === large).toBe(true);
  expect(calls.map(({ path }) => path)).toEqual(["/shop.Items/Get", "/shop.Items/Large"]);
});

test("messages of a stream go both ways while it lasts, and the copy has all of them", async (context) => {
  if (!keptBody) context.skip(missing);
  const { copies, session } = await serve(18_964);
  const stream = begin(session, "/shop.Items/Watch");
  for (const message of ["one", "two", "three"]) {
    stream.write(message);
    expect((await once(stream, "data"))[0]).toBe(message.toUpperCase());
  }
  expect(copies).toEqual([]);
  stream.end();
  await once(stream, "end");
  await until("the copy", () => copies.length === 1);
  expect(copies[0]!.message).toBe("onetwothree");
});

test("a call is not copied that is too large, or that breaks off, or beyond the share", async (context) => {
  if (!keptBody) context.skip(missing);
  const { calls, copies, session } = await serve(18_968);
  const larger = "m".repeat(1_100_000);
  expect((await call(session, "/shop.Items/Larger", larger)).length).toBe(larger.length);
  const leaving = connected();
  const broken = begin(leaving, "/shop.Items/Broken");
  broken.write("one");
  await once(broken, "data");
  leaving.destroy();
  expect(await call(session, "/shop.Seldom/Get", "one")).toBe("ONE");
  expect(await call(session, "/shop.Items/Last", "one")).toBe("ONE");
  await until("the last copy", () => copies.some(({ path }) => path === "/shop.Items/Last"));
  expect(copies.map(({ path }) => path)).toEqual(["/shop.Items/Last"]);
  expect(calls.map(({ path }) => path)).toContain("/shop.Items/Larger");
});
