import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EchoBackends, startEchoBackends } from "./echo-backend.ts";
import { type Pki, pkiIn } from "./pki.ts";

const address = "127.0.0.9";
const [httpPort, httpsPort] = [18080, 18443];
const folder = mkdtempSync(join(tmpdir(), "echo-"));
let backends: EchoBackends;
let pki: Pki;

beforeAll(async () => {
  pki = await pkiIn(folder);
  const { certificate, key } = pki.backend;
  backends = await startEchoBackends({ addresses: [address], certificate, key, httpPort, httpsPort });
});
afterAll(async () => {
  await backends.stop();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

function get(path: string, headers: Record<string, string> = {}, body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: address, port: httpPort, path, headers, method: body ? "POST" : "GET" });
    request.on("error", reject).on("response", async (response) => {
      resolve({ status: response.statusCode, headers: response.headers, body: await text(response) });
    });
    request.end(body);
  });
}

test("a backend answers with the request that it received", async () => {
  const { status, body } = await get("/a?b=%2F", { "X-Two": "x" }, "hello");
  const seen = { backend: address, scheme: "http", method: "POST", url: "/a?b=%2F", httpVersion: "1.1", body: "hello" };
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ ...seen, headers: { "x-two": "x", host: `${address}:${httpPort}` } });
});

test("a long body is described by its length and digest", async () => {
  const { body } = await get("/", {}, "x".repeat(201));
  expect(JSON.parse(body).body).toMatch(/^201 bytes, sha256 [0-9a-f]{12}$/);
});

test("query parameters control the answer", async () => {
  const path =
    "/?echo-status=201&echo-header=X-A:1&echo-header=X-A:2&echo-type=text/plain&echo-body=hi&echo-seen=x-b,method";
  const answer = await get(path, { "X-B": "b" });
  expect(answer).toMatchObject({ status: 201, body: "hi" });
  expect(answer.headers).toMatchObject({ "x-a": "1, 2", "content-type": "text/plain", "x-seen": "x-b=b; method=GET" });
});

test("echo-fail makes one address fail", async () => {
  expect(await get(`/?echo-fail=${address}:503`)).toMatchObject({ status: 503 });
  expect(await get("/?echo-fail=127.0.0.8:503")).toMatchObject({ status: 200 });
});

test("echo-need-cookie refuses requests without the cookie, and hides their headers", async () => {
  const path = "/?echo-need-cookie=session&echo-header=X-A:1";
  const refused = await get(path, { Cookie: "other=1" });
  expect([refused.status, refused.headers["x-a"]]).toEqual([401, undefined]);
  const welcome = await get(path, { Cookie: "other=1; session=2" });
  expect([welcome.status, welcome.headers["x-a"]]).toEqual([200, "1"]);
});

test("recorded requests can be read afterwards", async () => {
  expect((await get("/?echo-recall=k")).body).toBe('"nothing recorded"');
  await get("/first?echo-record=k", {}, "kept");
  expect(JSON.parse((await get("/?echo-recall=k")).body)).toMatchObject({ url: "/first?echo-record=k", body: "kept" });
});

test("the https port answers with the server name and the client certificate", async () => {
  const { certificate: cert, key } = pki.client;
  const options = {
    host: address,
    port: httpsPort,
    path: "/",
    servername: "b.example",
    cert,
    key,
    ca: pki.ca.certificate,
  };
  const body = await new Promise<string>((resolve, reject) => {
    const request = httpsRequest({ ...options, checkServerIdentity: () => undefined });
    request.on("error", reject).on("response", (response) => resolve(text(response)));
    request.end();
  });
  expect(JSON.parse(body)).toMatchObject({ scheme: "https", tls: { servername: "b.example", client: "client one" } });
});

test("a websocket handshake is accepted, with the received request in X-Echo", async () => {
  const socket = connect(httpPort, address);
  socket.write("GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1.1 101 /);
  const echo = /X-Echo: (.*)\r\n/.exec(answer)?.[1] ?? "";
  expect(JSON.parse(Buffer.from(echo, "base64").toString())).toMatchObject({ backend: address, url: "/ws" });
});
