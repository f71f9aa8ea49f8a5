/**
 * Raw bytes against the page on a port of its own (--ui-port): malformed requests, other methods,
 * slow senders, many requests in one packet, and tenants who lead nginx there.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { gatewayClass, type Served, serving, toWeb, webAt } from "../../nginx/support/serve.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const port = 21_256;
const host = "Host: localhost\r\n";
const end = "Connection: close\r\n\r\n";
/** The ports of a tenant's Gateway, for TCP and for HTTP. */
const [tcpPort, httpPort] = [21_257, 21_258];
let one: Served;

/** Endpoints of the Service `page` are the page itself; the routes hide that a proxy asks. */
const tenant = `${gatewayClass}---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: gw, namespace: shop }
spec:
  gatewayClassName: sluice
  listeners: [{ name: tcp, port: ${tcpPort}, protocol: TCP }, { name: http, port: ${httpPort}, protocol: HTTP }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TCPRoute
metadata: { name: tcp, namespace: shop }
spec: { parentRefs: [{ name: gw, sectionName: tcp }], rules: [{ backendRefs: [{ name: page, port: 80 }] }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: http, namespace: shop }
spec:
  parentRefs: [{ name: gw, sectionName: http }]
  rules:
    - filters:
        - { type: URLRewrite, urlRewrite: { hostname: localhost } }
        - type: RequestHeaderModifier
          requestHeaderModifier: { remove: [X-Real-IP, X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Port, X-Forwarded-Proto, X-Forwarded-Scheme, X-Scheme] }
      backendRefs: [{ name: page, port: 80 }]
---
${webAt(port)
  .replaceAll(/\bweb\b/g, "page")
  .replace("web-1", "page-1")}`;

beforeAll(async () => {
  const backends = webAt(21_931);
  const files = { "web.yaml": toWeb({ host: "web.example" }), "backends.yaml": backends, "tenant.yaml": tenant };
  one = await serving({ files, flags: [`--ui-port=${port}`] });
});
afterAll(() => one?.remove());

function opened(bytes: string, to = port): Socket {
  const socket = connect(to, "127.0.0.1").on("error", () => {});
  socket.write(bytes, "latin1");
  return socket;
}

/** Returns all that the server sends until it closes the connection. */
const answered = (bytes: string, to = port) => text(opened(bytes, to)).catch(() => "");
const statusOf = (answer: string) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? "closed";
const asked = (path: string, more = "", method = "GET") =>
  answered(`${method} ${path} HTTP/1.1\r\n${host}${more}${end}`);

const routes = "/ui/api/v1/routes";
const two = `GET ${routes} HTTP/1.1\r\n${host}${end}`;

/** Requests that have two ends, or none. */
const framings = {
  "two lengths": "Content-Length: 0\r\nContent-Length: 5\r\n",
  "a length and chunks": "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
  "two codings": "Transfer-Encoding: chunked, identity\r\n",
  "a coding behind a blank": "Transfer-Encoding : chunked\r\n",
  "a length with a sign": "Content-Length: +5\r\n",
  "a list of lengths": "Content-Length: 5, 5\r\n",
  "a folded line": "X-A: b\r\n c: d\r\n",
  "a line without a colon": "X-A\r\n",
  "a NUL in a value": "X-A: b\0c\r\n",
  "a bare line feed in a value": "X-A: b\nHost: evil.example\r\n",
  "a bare carriage return": "X-A: b\rHost: evil.example\r\n",
};

test.each(Object.entries(framings))(
  "a request with %s gets no data, and neither does one behind it",
  async (_, lines) => {
    const answer = await answered(`GET ${routes} HTTP/1.1\r\n${host}${lines}\r\n${two}`);
    expect(answer).not.toContain("web.example");
    expect(["400", "403", "closed"]).toContain(statusOf(answer));
  },
);

test("a body is no further request", async () => {
  const answer = await answered(`GET ${routes} HTTP/1.1\r\n${host}Content-Length: ${two.length}\r\n${end}${two}`);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
});

test("other methods, protocols and targets change nothing and get no data", async () => {
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "QUERY"])
    expect.soft([method, statusOf(await asked(routes, "Content-Length: 0\r\n", method))]).toEqual([method, "405"]);
  for (const method of ["CONNECT", "get", "GE T", "XYZ"])
    expect
      .soft([method, await asked(routes, "", method)])
      .not.toEqual([method, expect.stringContaining("web.example")]);
  expect(await asked("localhost:80", "", "CONNECT")).toBe("");
  expect(await answered("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).not.toContain("web.example");
  for (const target of [
    ...["*", "//localhost/ui/api/v1/routes", "//ui/api/v1/routes", "/ui//api/v1/routes", "/ui/api//v1/routes"],
    ...[
      "/ui/api/v1//routes",
      "/ui/api/v1/routes/",
      "/ui%2fapi/v1/routes",
      "/ui/api/v1/routes%00",
      "/UI/api/v1/routes",
      "/ab/api/v1/routes",
    ],
    ...["/ui/api/v1/routes%2f..", "/ui/api/v1/%72outes", "/ui/api/v1/routes;a=b", "http://localhost@evil.example/ui/"],
    ...[
      "/ui/views/%2e%2e%2f%2e%2e%2fpackage.json",
      "/ui/.%2e/%5c../package.json",
      "/ui/main.js%00.css",
      "/ui/./views/",
    ],
  ]) {
    const answer = await asked(target);
    expect.soft([target, statusOf(answer)]).toEqual([target, expect.stringMatching(/^40[034]$/)]);
    expect.soft(answer, target).not.toMatch(/web\.example|devDependencies/);
  }
  const upgraded = await asked(routes, "Upgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Version: 13\r\n");
  expect(statusOf(upgraded)).not.toBe("101");
});

test("a range or a condition gets the whole file, and one that matches gets none", async () => {
  const whole = await asked("/ui/main.js");
  const tag = /^etag: (.*)\r$/m.exec(whole)?.[1];
  for (const line of ["Range: bytes=0-3", "Range: bytes=0-,0-,0-,0-", "If-Match: x", "If-None-Match: x", "If-Range: x"])
    expect.soft([line, statusOf(await asked("/ui/main.js", `${line}\r\n`))]).toEqual([line, "200"]);
  expect(statusOf(await asked("/ui/main.js", `If-None-Match: ${tag}\r\n`))).toBe("304");
  expect(statusOf(await asked(routes, "If-None-Match: *\r\n"))).toBe("200");
});

test("huge heads and values are refused, and names of prototypes are no parameters", async () => {
  for (const more of [`X-A: ${"a".repeat(20_000)}\r\n`, "X-A: b\r\n".repeat(4_000)])
    expect.soft(["431", "closed"]).toContain(statusOf(await asked(routes, more)));
  expect(["431", "closed"]).toContain(statusOf(await asked(`${routes}?filter=${"a".repeat(100_000)}`)));
  for (const name of ["__proto__", "constructor", "prototype", "toString", "filter[]", "filter[__proto__]", ""])
    expect.soft([name, statusOf(await asked(`${routes}?${name}=a`))]).toEqual([name, "400"]);
  for (const value of ["", "-0", "1.5", "1e2", "0x10", "Infinity", "99999999999", "%2b1", "%201", "\u0661"])
    for (const name of ["offset", "limit"]) {
      const [key, query] = [`${name}=${value}`, `${name}=${encodeURI(decodeURI(value))}`];
      expect.soft([key, statusOf(await asked(`${routes}?${query}`))]).toEqual([key, "400"]);
    }
  for (const filter of [".*", "(a%2b)%2b$", "[", "\\", "%5e", "$1"])
    expect.soft(await asked(`${routes}?filter=${filter}`), filter).toContain('"matched":0');
  const header = await asked("/ui/api/v1/ask?url=http://web.example/&header=__proto__:a&header=constructor:b");
  expect([statusOf(header), header]).toEqual(["200", expect.stringContaining("__proto__")]);
});

test("of many requests in one packet one is started, and the connection ends", async () => {
  const ask = `GET /ui/api/v1/ask?url=http://web.example/ HTTP/1.1\r\n${host}\r\n`;
  expect(await answered(ask.repeat(2_000))).toBe("");
  expect(statusOf(await asked(routes))).toBe("200");
});

test("slow senders, and readers that stop, keep nobody out", async () => {
  const slow = Array.from({ length: 1_200 }, () => opened(`GET ${routes} HTTP/1.1\r\n${host}X-Slow: `));
  const idle = Array.from({ length: 30 }, () => opened(`GET /ui/api/v1/events HTTP/1.1\r\n${host}\r\n`).pause());
  try {
    await Promise.all(slow.map((socket) => socket.connecting && once(socket, "connect")));
    for (let at = 0; at < 5; at++) expect(statusOf(await asked(routes))).toBe("200");
    // The others have to send their heads within ten seconds.
    await Promise.all(slow.map((socket) => (socket.destroyed ? undefined : once(socket.resume(), "close"))));
    expect(await one.health()).toMatchObject({ status: 200, body: "ok" });
    expect(statusOf(await asked(routes))).toBe("200");
  } finally {
    for (const socket of [...slow, ...idle]) socket.destroy();
  }
});

test("nginx connects to the page for no tenant, by TCP or by a route that removes the headers of a proxy", async () => {
  expect(await answered(two, tcpPort)).toBe("");
  expect(statusOf(await answered(two, httpPort))).toMatch(/^50[03]$/);
});
