import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { ConfigMap } from "../core/model/objects.ts";
import { Client } from "./client.ts";
import { message } from "./protobuf/message.ts";
import type { SentRequest, WatchEvent } from "./requests.ts";
import { resource } from "./resource.ts";

const configMaps = resource<ConfigMap>({ apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true });
const name = { namespace: "default", name: "a" };
const never = new AbortController().signal;
const watching = { timeoutSeconds: 60, inactivityMs: 5_000 };

let server: Server;
let client: Client;
let clock: FakeClock;
let token: string;
let sent: SentRequest[];
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;

beforeEach(async () => {
  token = "first";
  sent = [];
  clock = new FakeClock();
  server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    answer(request, response, body);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const proof = async () => ({ tls: {}, headers: { authorization: `Bearer ${token}` } });
  const credentials = { server: new URL(`http://127.0.0.1:${port}`), proof };
  client = new Client(credentials, { timeoutMs: 2_000, clock, report: (request) => sent.push(request) });
});
afterEach(() => {
  client.close();
  server.closeAllConnections();
  server.close();
});

const json = (response: ServerResponse, code: number, value: unknown) => {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(value));
};
const event = (type: string, version: number) =>
  `${JSON.stringify({ type, object: { metadata: { name: "ä", resourceVersion: `${version}` } } })}\n`;

test("a list item gets the kind that the server leaves out", async () => {
  answer = (_request, response) =>
    json(response, 200, { metadata: { resourceVersion: "7" }, items: [{ metadata: { name: "a" } }] });
  expect(await client.list(configMaps, {}, never)).toEqual({
    ok: true,
    value: {
      items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }],
      resourceVersion: "7",
      continue: "",
    },
  });
});

test("a list may come packed, a watch may not, and a broken pack is a failure", async () => {
  const asked: (string | undefined)[] = [];
  let body = gzipSync(JSON.stringify({ metadata: { resourceVersion: "7" }, items: [{ metadata: { name: "ä" } }] }));
  answer = ({ headers }, response) => {
    asked.push(headers["accept-encoding"] as string | undefined);
    response.writeHead(200, { "content-encoding": "gzip" }).end(body);
  };
  const list = await client.list(configMaps, {}, never);
  expect(list.ok && list.value.items.map(({ metadata }) => metadata.name)).toEqual(["ä"]);
  body = body.subarray(0, -12);
  const broken = await client.list(configMaps, {}, never);
  expect(broken.ok || broken.failure.reason).toBe("Unreadable");
  await client.watch(configMaps, watching, () => {}, never);
  expect(asked).toEqual(["gzip", "gzip", undefined]);
});

test("each request is reported with its verb and its outcome", async () => {
  answer = (request, response) => json(response, request.method === "GET" ? 404 : 201, {});
  await client.get(configMaps, name, never);
  await client.list(configMaps, {}, never);
  await client.delete(configMaps, name, never);
  answer = (_request, response) => response.destroy();
  await client.watch(configMaps, watching, () => {}, never);
  const tookMs = 0;
  expect(sent).toEqual([
    { verb: "get", path: "/api/v1/namespaces/default/configmaps/a", code: 404, tookMs },
    { verb: "list", path: "/api/v1/configmaps", code: 404, tookMs },
    { verb: "delete", path: "/api/v1/namespaces/default/configmaps/a", code: 201, tookMs },
    { verb: "watch", path: "/api/v1/configmaps", code: 0, reason: "Unreachable", tookMs },
  ]);
});

test("a refusal is a value with the server's reason, its causes and its Retry-After", async () => {
  const details = { retryAfterSeconds: 3, causes: [{ reason: "ResourceVersionTooLarge" }] };
  answer = (_request, response) =>
    json(response, 504, { kind: "Status", reason: "Timeout", message: "later", code: 504, details });
  expect(await client.get(configMaps, name, never)).toMatchObject({
    failure: {
      reason: "Timeout",
      code: 504,
      message: "later",
      retryAfterMs: 3_000,
      causes: ["ResourceVersionTooLarge"],
    },
  });
});

test("a refusal by a server that is not an API server keeps its status", async () => {
  answer = (_request, response) => response.writeHead(502, { "retry-after": "9" }).end("<html>");
  const expected = { reason: "Status502", code: 502, retryAfterMs: 9_000 };
  expect(await client.get(configMaps, name, never)).toMatchObject({ failure: expected });
});

test("an answer that is not JSON, or not a list, is unreadable", async () => {
  answer = (_request, response) => response.end("{");
  expect(await client.get(configMaps, name, never)).toMatchObject({ failure: { reason: "Unreadable" } });
  answer = (_request, response) => json(response, 200, { items: [] });
  expect(await client.list(configMaps, {}, never)).toMatchObject({ failure: { reason: "Unreadable" } });
});

test("no answer, half an answer and no server have different reasons", async () => {
  answer = () => void clock.advance(2_000);
  expect(await client.get(configMaps, name, never)).toMatchObject({ failure: { reason: "Silent" } });
  answer = (_request, response) =>
    response.writeHead(200, { "content-length": 100 }).write("{", () => response.destroy());
  expect(await client.get(configMaps, name, never)).toMatchObject({ failure: { reason: "Unreachable" } });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  expect(await client.get(configMaps, name, never)).toMatchObject({ failure: { reason: "Unreachable" } });
});

test("a body of a DELETE leaves the connection usable for the next request", async () => {
  const bodies: string[] = [];
  answer = (_request, response, body) => {
    bodies.push(body);
    json(response, 200, {});
  };
  expect(await client.delete(configMaps, name, never, { uid: "u1" })).toMatchObject({ ok: true });
  expect(await client.get(configMaps, name, never)).toMatchObject({ ok: true });
  expect(JSON.parse(bodies[0] as string)).toMatchObject({ preconditions: { uid: "u1" } });
});

test("the token is read again for every request", async () => {
  const seen: unknown[] = [];
  answer = (request, response) => {
    seen.push(request.headers.authorization);
    json(response, 200, {});
  };
  await client.get(configMaps, name, never);
  token = "second";
  await client.get(configMaps, name, never);
  expect(seen).toEqual(["Bearer first", "Bearer second"]);
});

test("paths and queries encode every name", async () => {
  const urls: (string | undefined)[] = [];
  answer = (request, response) => {
    urls.push(`${request.method} ${request.url} ${request.headers["content-type"] ?? ""}`.trim());
    json(response, 200, { metadata: { resourceVersion: "1" } });
  };
  const foos = { apiVersion: "example.com/v1", kind: "Foo", plural: "foos", namespaced: true };
  const foo = { apiVersion: "example.com/v1", kind: "Foo", metadata: { namespace: "shop", name: "../a" } };
  await client.update(foos, foo, never, { subresource: "status" });
  await client.patch(configMaps, name, { type: "apply", body: {}, fieldManager: "me", force: true }, never);
  await client.list(configMaps, { namespace: "shop", fieldSelector: "type!=helm.sh/release.v1", limit: 5 }, never);
  expect(urls).toEqual([
    "PUT /apis/example.com/v1/namespaces/shop/foos/..%2Fa/status application/json",
    "PATCH /api/v1/namespaces/default/configmaps/a?fieldManager=me&force=true application/apply-patch+yaml",
    "GET /api/v1/namespaces/shop/configmaps?fieldSelector=type%21%3Dhelm.sh%2Frelease.v1&limit=5",
  ]);
});

test("a watch reads events however they are split, also within a character", async () => {
  const bytes = Buffer.from(event("ADDED", 1) + event("MODIFIED", 2) + event("BOOKMARK", 3));
  answer = async (_request, response) => {
    for (const byte of bytes) {
      response.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    response.end();
  };
  const seen: string[] = [];
  const onEvent = ({ type, object }: WatchEvent<ConfigMap>) => seen.push(`${type} ${object.metadata.name}`);
  expect(await client.watch(configMaps, watching, onEvent, never)).toBeUndefined();
  expect(seen).toEqual(["ADDED ä", "MODIFIED ä", "BOOKMARK ä"]);
});

test.each([
  [
    "an ERROR event",
    `{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"old"}}\n`,
    { code: 410, reason: "Expired" },
  ],
  ["a line that is not JSON", "{]\n", { reason: "Unreadable" }],
  ["an event without a version", `{"type":"ADDED","object":{}}\n`, { reason: "Unreadable" }],
])("a watch ends at %s, and the events before it count", async (_what, line, failure) => {
  answer = (_request, response) => response.write(event("ADDED", 1) + line + event("ADDED", 2));
  let seen = 0;
  const onEvent = () => {
    seen += 1;
  };
  expect(await client.watch(configMaps, watching, onEvent, never)).toMatchObject(failure);
  expect(seen).toBe(1);
});

test("a watch without events for too long ends as silent, and one that is stopped ends as aborted", async () => {
  answer = (_request, response) => response.write(event("ADDED", 1));
  const pass = () => void clock.advance(watching.inactivityMs);
  expect(await client.watch(configMaps, watching, pass, never)).toMatchObject({ reason: "Silent" });
  const stop = new AbortController();
  const ended = client.watch(configMaps, watching, () => stop.abort(), stop.signal);
  expect(await ended).toMatchObject({ reason: "Aborted" });
});

test.each([
  ["a page", "<html>"],
  ["a frame of protobuf", "\0\0\0\u000c\n\u0005ADDED"],
])("a watch that begins with %s is unreadable at once, without the end of a line", async (_what, text) => {
  answer = (_request, response) => response.write(text);
  expect(await client.watch(configMaps, watching, () => {}, never)).toMatchObject({ reason: "Unreadable" });
});

test.each([
  ["JSON", Buffer.from('{"type":"ADDED","object":{')],
  ["a frame of two gigabytes", Buffer.from("\x80\0\0\0", "latin1")],
  ["a frame that is no event", Buffer.from("\0\0\0\x09\x08\x01", "latin1")],
])("a watch in protobuf that begins with %s is unreadable at once", async (_what, bytes) => {
  const of = { ...configMaps, binary: message({}) };
  answer = (_request, response) => {
    response.writeHead(200, { "content-type": "application/vnd.kubernetes.protobuf;stream=watch" }).write(bytes);
  };
  expect(await client.watch(of, watching, () => {}, never)).toMatchObject({ reason: "Unreadable" });
});

test("a watch that stops in the middle of an event ends after ten seconds, however long it may be silent", async () => {
  answer = (_request, response) => response.write(`${event("ADDED", 1)}{"type":"MODIFIED"`);
  const ended = client.watch(configMaps, { ...watching, inactivityMs: 60_000 }, () => void clock.advance(9_999), never);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  await vi.waitFor(() => expect(clock.now()).toBe(9_999));
  expect(isOver).toBe(false);
  await clock.advance(10_000);
  expect(await ended).toMatchObject({ reason: "Silent", message: "nothing came for 10000 ms" });
});

test("a write waits for its answer for a shorter time than a list", async () => {
  client.close();
  const { port } = server.address() as AddressInfo;
  const proof = async () => ({ tls: {}, headers: {} });
  const credentials = { server: new URL(`http://127.0.0.1:${port}`), proof };
  client = new Client(credentials, { clock });
  answer = () => void clock.advance(15_000);
  expect(await client.delete(configMaps, name, never)).toMatchObject({ failure: { reason: "Silent" } });
  answer = async (_request, response) => {
    await clock.advance(59_000);
    json(response, 200, { metadata: { resourceVersion: "7" } });
  };
  expect(await client.list(configMaps, {}, never)).toMatchObject({ ok: true });
});

test("an exception of a watch's listener is thrown by the watch", async () => {
  answer = (_request, response) => response.write(event("ADDED", 1));
  const onEvent = () => {
    throw new Error("bug");
  };
  await expect(client.watch(configMaps, watching, onEvent, never)).rejects.toThrow("bug");
});

test.each([
  ["33", true],
  ["33+", true],
  ["40", true],
  ["32", false],
  ["", false],
  [undefined, false],
])("a server with the minor version %j streams lists: %s", async (minor, streams) => {
  let asked = 0;
  answer = (request, response) => {
    asked += 1;
    expect(request.url).toBe("/version");
    json(response, 200, { major: "1", minor });
  };
  expect(await Promise.all([client.streamsLists(never), client.streamsLists(never)])).toEqual([streams, streams]);
  expect(asked).toBe(1);
});

test("the version of a server that does not answer is requested again", async () => {
  answer = (_request, response) => json(response, 503, {});
  expect(await client.streamsLists(never)).toBe(false);
  answer = (_request, response) => json(response, 200, { minor: "36" });
  expect(await client.streamsLists(never)).toBe(true);
});

test("a whole list in JSON, or one without an end, is unreadable", async () => {
  const of = { ...configMaps, binary: message({}) };
  answer = (_request, response) => json(response, 200, { metadata: { resourceVersion: "7" }, items: [] });
  expect(await client.listWhole(of, {}, () => {}, never)).toMatchObject({ failure: { reason: "Unreadable" } });
  answer = (_request, response) => response.end(Buffer.from("k8s\0"));
  expect(await client.listWhole(of, {}, () => {}, never)).toMatchObject({ failure: { reason: "Unreadable" } });
});
