/**
 * Copies of calls by the filter RequestMirror of GRPCRoutes: they are made when the call has ended,
 * so that a client which waits for an answer before its next message is not delayed. nginx needs a
 * module of the image for it.
 */
import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type IncomingHttpHeaders } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { certificateFrom } from "../../src/core/certificates/certificate.ts";
import { unannotated } from "../../src/core/policies/read.ts";
import { defaultSettings } from "../../src/core/settings/registry.ts";
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

/** Echoes each message as it arrives, and records calls that have ended. */
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

/** Routes have no limit for bodies. */
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
  it.nginx.expectError(/lua tcp socket \w+ timed out/);
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

/** Makes a whole call with one message, and resolves with what came back. */
async function call(session: ClientHttp2Session, path: string, message: string): Promise<string> {
  const stream = begin(session, path);
  let answer = "";
  stream.on("data", (text: string) => (answer += text));
  stream.end(message);
  await once(stream, "end");
  return answer;
}

/**
 * Makes calls until one with this message was copied. A copy that takes too long is given up, which
 * may happen to each on a busy machine.
 */
function copied(copies: readonly Call[], message: string, again: () => Promise<unknown>): Promise<Call> {
  const found = () => copies.find((one) => one.message === message);
  return until(`a copy of ${message.length} bytes`, async () => {
    await again();
    return until("this one", found, 15_000).catch(() => undefined);
  });
}

test("a call is copied with its headers and its message", async (context) => {
  if (!keptBody) context.skip(missing);
  const { calls, copies, session } = await serve(18_960);
  const get = async () => expect(await call(session, "/shop.Items/Get", "one")).toBe("ONE");
  expect(await copied(copies, "one", get)).toMatchObject({
    path: "/shop.Items/Get",
    message: "one",
    headers: { host: "calls.example", "content-type": "application/grpc", te: "trailers", "x-user": "a" },
  });
  const large = "m".repeat(400_000);
  const getLarge = async () => expect((await call(session, "/shop.Items/Large", large)).length).toBe(large.length);
  expect((await copied(copies, large, getLarge)).path).toBe("/shop.Items/Large");
  expect(new Set(calls.map(({ path }) => path))).toEqual(new Set(["/shop.Items/Get", "/shop.Items/Large"]));
});

test("messages of a stream go both ways while it lasts, and the copy has all of them", async (context) => {
  if (!keptBody) context.skip(missing);
  const { copies, session } = await serve(18_964);
  let hasEnded = false;
  const watch = async () => {
    const stream = begin(session, "/shop.Items/Watch");
    for (const message of ["one", "two", "three"]) {
      stream.write(message);
      expect((await once(stream, "data"))[0]).toBe(message.toUpperCase());
    }
    if (!hasEnded) expect(copies).toEqual([]);
    hasEnded = true;
    stream.end();
    await once(stream, "end");
  };
  await copied(copies, "onetwothree", watch);
});

test("a call is not copied if it is too large, is interrupted, or is beyond the share", async (context) => {
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
  await copied(copies, "last", () => call(session, "/shop.Items/Last", "last"));
  expect(new Set(copies.map(({ path }) => path))).toEqual(new Set(["/shop.Items/Last"]));
  expect(calls.map(({ path }) => path)).toContain("/shop.Items/Larger");
});
