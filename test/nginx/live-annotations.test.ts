/**
 * Tests annotations whose changed value takes effect at once, without a reload, by a request before
 * the change and one after it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, request } from "./support/request.ts";
import { ports, type Served, serving, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_915;
const authPort = 21_916;
const authAt = "192.0.2.87";
const prefix = "nginx.ingress.kubernetes.io";
const host = "web.example";

let servers: readonly Server[] = [];
let served: Served;
/** The number of requests for /failing. */
let failures = 0;

type Annotations = Readonly<Record<string, string>>;

const web = (values: Annotations) => {
  const annotations = Object.entries(values).map(([key, value]) => `${prefix}/${key}: ${JSON.stringify(value)}`);
  return toWeb({ host, annotations: annotations.join(", ") });
};

/** Answers with the request as received, and below /moved with a redirect. */
function answer({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader("Set-Cookie", "a=1; Domain=inner.example; Path=/in");
  if (url === "/own") response.setHeader("Access-Control-Allow-Credentials", "theirs");
  if (url === "/moved") response.writeHead(302, { location: "http://inner.example/x" });
  if (url === "/failing") {
    failures += 1;
    response.statusCode = 503;
  }
  if (url === "/long") response.setHeader("X-Long", "a".repeat(12_000));
  if (url === "/missing") response.statusCode = 404;
  response.end(JSON.stringify({ method, url, headers }));
}

/**
 * An auth service that lets every request pass, and returns the method and the team of the auth
 * request.
 */
function letPass({ method, headers }: IncomingMessage, response: ServerResponse): void {
  const team = headers["x-team"];
  response.setHeader("X-User", "anna");
  response.setHeader("X-Groups", ["a", "b"]);
  response.setHeader("Set-Cookie", [`asked-by=${method}`, ...(team === undefined ? [] : [`team=${team}`])]);
  response.end();
}

const listening = (server: Server, port: number, address: string) =>
  new Promise<Server>((resolve) => server.listen(port, address, () => resolve(server)));

beforeAll(async () => {
  servers = await Promise.all([
    listening(createServer(answer), backendPort, "127.0.0.1"),
    listening(createServer(letPass), authPort, authAt),
  ]);
  const settings = `apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { global-allowed-response-headers: "X-Team" }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: headers, namespace: shop }
data: { X-Team: "a;$host" }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: more-headers, namespace: shop }
data: { X-Team: 'b"' }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: question, namespace: shop }
data: { X-Team: 'plain"' }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: more-question, namespace: shop }
data: { X-Team: "a b" }
`;
  served = await serving({
    files: { "web.yaml": web({}), "backends.yaml": webAt(backendPort), "settings.yaml": settings },
  });
});
afterAll(async () => {
  await served?.remove();
  for (const server of servers) server.close().closeAllConnections();
});

const applied = () => served.lines().filter(({ msg }) => msg.startsWith("applied"));

/** Writes the annotations, and returns the log line about how they were applied. */
async function becomes(values: Annotations): Promise<string> {
  const before = applied().length;
  served.write("web.yaml", web(values));
  await until("the change to be applied", () => applied().length > before);
  return applied().at(-1)!.msg;
}

interface Live {
  /** Annotations that are present before and after the change. */
  readonly beside?: Annotations;
  readonly from: Annotations;
  readonly to: Annotations;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The part of the answers that the test compares. */
  readonly see: (answer: Answer) => unknown;
  readonly expected: readonly [before: unknown, after: unknown];
}

const header = (name: string) => (answer: Answer) => answer.headers[name];
const passedOn = (name: string) => (answer: Answer) => JSON.parse(answer.body).headers[name];
const cors = { "enable-cors": "true" };
const fromA = { origin: "https://a.example" };
const auth = { "auth-url": `http://${authAt}:${authPort}/` };

const cases: Readonly<Record<string, Live>> = {
  "the redirect to https": {
    from: { "force-ssl-redirect": "true" },
    to: { "force-ssl-redirect": "false" },
    see: ({ status }) => status,
    expected: [308, 200],
  },
  "the status of a permanent redirect": {
    from: { "permanent-redirect": "https://b.example/" },
    to: { "permanent-redirect": "https://b.example/", "permanent-redirect-code": "308" },
    see: ({ status, headers }) => [status, headers.location],
    expected: [
      [301, "https://b.example/"],
      [308, "https://b.example/"],
    ],
  },
  "the status of a temporary redirect": {
    beside: { "temporal-redirect": "https://b.example/" },
    from: { "temporal-redirect-code": "307" },
    to: {},
    see: ({ status, headers }) => [status, headers.location],
    expected: [
      [307, "https://b.example/"],
      [302, "https://b.example/"],
    ],
  },
  "the origins of CORS": {
    beside: cors,
    from: { "cors-allow-origin": "https://b.example" },
    to: { "cors-allow-origin": "https://*.b.example, https://a.example" },
    headers: fromA,
    see: header("access-control-allow-origin"),
    expected: [undefined, "https://a.example"],
  },
  "one origin in place of all": {
    beside: cors,
    from: {},
    to: { "cors-allow-origin": "https://b.example" },
    headers: fromA,
    see: header("access-control-allow-origin"),
    expected: ["*", undefined],
  },
  "credentials of CORS, which the backend may allow itself": {
    beside: cors,
    from: {},
    to: { "cors-allow-credentials": "false" },
    path: "/own",
    headers: fromA,
    see: header("access-control-allow-credentials"),
    expected: ["true", "theirs"],
  },
  "the domain of cookies": {
    from: { "proxy-cookie-domain": "other.example a.example" },
    to: { "proxy-cookie-domain": ".INNER.example b.example" },
    see: header("set-cookie"),
    expected: [["a=1; Domain=inner.example; Path=/in"], ["a=1; Domain=b.example; Path=/in"]],
  },
  "the path of cookies": {
    from: { "proxy-cookie-path": "/in /out" },
    to: { "proxy-cookie-path": "/i /" },
    see: header("set-cookie"),
    expected: [["a=1; Domain=inner.example; Path=/out"], ["a=1; Domain=inner.example; Path=/n"]],
  },
  "the Location of backends": {
    from: { "proxy-redirect-from": "http://inner.example/", "proxy-redirect-to": "https://a.example/" },
    to: { "proxy-redirect-from": "http://inner.example/x", "proxy-redirect-to": "/y" },
    path: "/moved",
    see: header("location"),
    expected: ["https://a.example/x", `http://${host}/y`],
  },
  "the Connection header": {
    from: { "connection-proxy-header": "keep-alive" },
    to: { "connection-proxy-header": "close" },
    see: passedOn("connection"),
    expected: ["keep-alive", "close"],
  },
  "the addresses that may send requests": {
    from: { "whitelist-source-range": "192.0.2.0/24" },
    to: { "whitelist-source-range": "192.0.2.0/24, 127.0.0.0/29" },
    see: ({ status }) => status,
    expected: [403, 200],
  },
  "refused addresses that are allowed as well": {
    beside: { "whitelist-source-range": "127.0.0.0/8" },
    from: { "denylist-source-range": "198.51.100.0/24" },
    to: { "denylist-source-range": "127.0.0.1" },
    see: ({ status }) => status,
    expected: [200, 403],
  },
  "the value of a custom header": {
    from: { "custom-headers": "shop/headers" },
    to: { "custom-headers": "shop/more-headers" },
    see: header("x-team"),
    expected: ["a;$host", 'b"'],
  },
  "the method of an auth service": {
    beside: auth,
    from: { "auth-method": "POST" },
    to: { "auth-method": "PUT" },
    see: header("set-cookie"),
    expected: [
      ["a=1; Domain=inner.example; Path=/in", "asked-by=POST"],
      ["a=1; Domain=inner.example; Path=/in", "asked-by=PUT"],
    ],
  },
  "a header for an auth service": {
    beside: auth,
    from: { "auth-proxy-set-headers": "shop/question" },
    to: { "auth-proxy-set-headers": "shop/more-question" },
    see: header("set-cookie"),
    expected: [
      ["a=1; Domain=inner.example; Path=/in", "asked-by=GET", 'team=plain"'],
      ["a=1; Domain=inner.example; Path=/in", "asked-by=GET", "team=a b"],
    ],
  },
  "the headers of an auth service that backends get": {
    beside: auth,
    from: { "auth-response-headers": "X-User, X-Absent" },
    to: { "auth-response-headers": "X-Groups" },
    headers: { "X-User": "forged", "X-Absent": "forged", "X-Groups": "forged" },
    see: ({ body }) => {
      const { headers } = JSON.parse(body);
      return ["x-user", "x-absent", "x-groups"].map((name) => headers[name]);
    },
    expected: [
      ["anna", undefined, "forged"],
      ["forged", "forged", "a, b"],
    ],
  },
  "the buffer for the header of an answer": {
    from: { "proxy-buffer-size": "8k" },
    to: { "proxy-buffer-size": "16k" },
    path: "/long",
    see: ({ status }) => status,
    expected: [502, 200],
  },
  "the protocol of the backend": {
    from: { "backend-protocol": "HTTPS" },
    to: { "backend-protocol": "HTTP" },
    see: ({ status }) => status,
    expected: [502, 200],
  },
  "cookies of an auth service with each status": {
    beside: auth,
    from: {},
    to: { "auth-always-set-cookie": "true" },
    path: "/missing",
    see: header("set-cookie"),
    expected: [["a=1; Domain=inner.example; Path=/in"], ["a=1; Domain=inner.example; Path=/in", "asked-by=GET"]],
  },
};

test.each(Object.entries(cases))(
  "a changed value takes effect at once for %s",
  async (_name, { beside = {}, from, to, see, expected, ...asked }) => {
    const seen = async () =>
      see(await request({ to: `127.0.0.1:${ports.http}`, host, ...asked, headers: asked.headers ?? {} }));
    await becomes({ ...beside, ...from });
    expect(await seen()).toEqual(expected[0]);
    expect(await becomes({ ...beside, ...to })).toBe("applied without a reload");
    expect(await seen()).toEqual(expected[1]);
  },
);

test("the limit of the largest body applies to known and unknown lengths", async () => {
  const statuses = async () => {
    const post = { to: `127.0.0.1:${ports.http}`, host, method: "POST", body: "a".repeat(12_000) };
    const known = await request(post);
    const unknown = await request({ ...post, headers: { "Transfer-Encoding": "chunked" } });
    return [known.status, unknown.status];
  };
  await becomes({ "proxy-body-size": "8k" });
  expect(await statuses()).toEqual([413, 413]);
  expect(await becomes({ "proxy-body-size": "16k" })).toBe("applied without a reload");
  expect(await statuses()).toEqual([200, 200]);
});

test("a forged header reaches no backend where another check lets a request pass", async () => {
  const either = { satisfy: "any", "whitelist-source-range": "127.0.0.0/8" };
  await becomes({ ...auth, ...either, "auth-response-headers": "X-User" });
  const headers = { "X-User": "forged", "X-Other": "kept" };
  const answer = await request({ to: `127.0.0.1:${ports.http}`, host, headers });
  expect(JSON.parse(answer.body).headers).toMatchObject({ "x-other": "kept" });
  expect(JSON.parse(answer.body).headers).not.toHaveProperty("x-user");
});

test("the number of tries of a request changes at once", async () => {
  const beside = { "proxy-next-upstream": "error http_503" };
  const tries = async () => {
    failures = 0;
    expect((await served.ask(host, "/failing")).status).toBe(503);
    return failures;
  };
  await becomes({ ...beside, "proxy-next-upstream-tries": "2" });
  expect(await tries()).toBe(2);
  expect(await becomes({ ...beside, "proxy-next-upstream-tries": "5" })).toBe("applied without a reload");
  expect(await tries()).toBe(5);
  expect(await becomes({ ...beside, "proxy-next-upstream-tries": "1" })).toBe("applied without a reload");
  expect(await tries()).toBe(1);
});

/**
 * Sends `count` requests and returns how many pass. The rates are so low that the limit does not
 * refill meanwhile.
 */
async function passing(count: number): Promise<number> {
  let passed = 0;
  for (let at = 0; at < count; at++) {
    const answer = await served.ask(host);
    expect([200, 503]).toContain(answer.status);
    if (answer.status === 200) passed += 1;
  }
  return passed;
}

test("rates, bursts and exempt clients change at once", async () => {
  await becomes({ "limit-rpm": "1" });
  expect(await passing(9)).toBe(6);
  await until("nginx's log to name the rate", () =>
    /limiting requests, excess: [56]\.\d{3} by zone \\?"1r\/m/.test(served.printed()),
  );
  expect(await becomes({ "limit-rpm": "2", "limit-burst-multiplier": "2" })).toBe("applied without a reload");
  expect(await passing(9)).toBe(5);
  expect(await becomes({ "limit-rpm": "2", "limit-rps": "1", "limit-burst-multiplier": "5" })).toBe(
    "applied without a reload",
  );
  // The counter of the limit of 2 a minute continues, and the burst is 10 now.
  expect(await passing(4)).toBe(4);
  expect(await becomes({ "limit-rpm": "1", "limit-allowlist": "192.0.2.0/24, 127.0.0.0/8" })).toBe(
    "applied without a reload",
  );
  expect(await passing(5)).toBe(5);
  expect(await becomes({ "limit-rpm": "1", "limit-allowlist": "192.0.2.0/24" })).toBe("applied without a reload");
  expect(await passing(9)).toBeLessThan(7);
});
