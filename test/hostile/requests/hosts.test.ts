/**
 * A request has one host (RFC 9112 3.2.2). Routing uses the same host that the backend gets, and a
 * request with two hosts is refused.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestHttp2 } from "../../nginx/support/request.ts";
import { ingress, settings } from "../support/objects.ts";
import { exchange, statuses } from "../support/raw.ts";
import { ports, startWorld, type World } from "../support/world.ts";

/**
 * Requests that would have the host `open.example` for the router and another host for a backend,
 * or the other way round.
 */
const contrary: readonly (readonly [what: string, head: string])[] = [
  ["an absolute target and another Host", "GET http://open.example/x HTTP/1.1\r\nHost: guarded.example"],
  ["an absolute target and another Host in HTTP/1.0", "GET http://open.example/x HTTP/1.0\r\nHost: guarded.example"],
  ["an https target and another Host", "GET https://open.example/x HTTP/1.1\r\nHost: guarded.example"],
  ["a target with a port and another Host", "GET http://open.example:80/x HTTP/1.1\r\nHost: guarded.example:80"],
  ["two ports", "GET http://open.example:80/x HTTP/1.1\r\nHost: open.example:8080"],
  ["letters after the port", "GET /x HTTP/1.1\r\nHost: open.example:80junk"],
  ["a host after the port", "GET /x HTTP/1.1\r\nHost: open.example:80@guarded.example"],
  ["a host in place of the port", "GET /x HTTP/1.1\r\nHost: open.example:guarded.example"],
  ["two ports in Host", "GET /x HTTP/1.1\r\nHost: open.example:80:81"],
  ["a port that is too large", "GET /x HTTP/1.1\r\nHost: open.example:123456"],
  ["other text after an address", "GET /x HTTP/1.1\r\nHost: [2001:db8::1]guarded.example"],
  ["two Host headers", "GET /x HTTP/1.1\r\nHost: open.example\r\nHost: guarded.example"],
  ["two Host headers that are equal", "GET /x HTTP/1.1\r\nHost: open.example\r\nHost: open.example"],
  [
    "half of the host in another header that the router reads with it",
    "GET http://guarded.example/x HTTP/1.1\r\nHost: guarded.exam\r\nX-Forwarded-For: ple",
  ],
  ["two hosts in one Host header", "GET /x HTTP/1.1\r\nHost: open.example, guarded.example"],
  ["two hosts with a comma alone", "GET http://open.example/x HTTP/1.1\r\nHost: open.example,guarded.example"],
  ...["?", "#", "@", "<", ">", '"', "\\", "^", "`", "{", "|", "}", "\u00e9", "]", "["].map(
    (sign): readonly [string, string] => [`${sign} in the host`, `GET /x HTTP/1.1\r\nHost: open${sign}.example`],
  ),
  ["a host of 254 characters", `GET /x HTTP/1.1\r\nHost: ${"a".repeat(241)}.open.example`],
  ["a host of 3,950 labels", `GET /x HTTP/1.1\r\nHost: ${"a.".repeat(3_950)}open.example`],
  ["a query in the host", "GET /x HTTP/1.1\r\nHost: open.example?a=guarded.example"],
  ["credentials in the target", "GET http://u@open.example/x HTTP/1.1\r\nHost: open.example"],
];

const longest = `${"a".repeat(240)}.open.example`;

/** Requests of ordinary clients, each with the host that the backend gets. */
const honest: readonly (readonly [what: string, head: string, backend: string])[] = [
  ["a host", "GET /x HTTP/1.1\r\nHost: open.example", "open.example"],
  ["a host with a port", "GET /x HTTP/1.1\r\nHost: open.example:24000", "open.example:24000"],
  ["a host with an empty port", "GET /x HTTP/1.1\r\nHost: open.example:", "open.example:"],
  ["upper case", "GET /x HTTP/1.1\r\nHost: OPEN.Example", "OPEN.Example"],
  ["a dot at the end", "GET /x HTTP/1.1\r\nHost: open.example.", "open.example."],
  ["a dot at the end and a port", "GET /x HTTP/1.1\r\nHost: open.example.:80", "open.example.:80"],
  ["an absolute target", "GET http://open.example/x HTTP/1.1\r\nHost: open.example", "open.example"],
  [
    "an absolute target with a port",
    "GET http://open.example:80/x HTTP/1.1\r\nHost: open.example:80",
    "open.example:80",
  ],
  ["an absolute target in upper case", "GET http://OPEN.example/x HTTP/1.1\r\nHost: OPEN.example", "OPEN.example"],
  [
    "a target with a port and a Host without",
    "GET http://open.example:80/x HTTP/1.1\r\nHost: open.example",
    "open.example",
  ],
  [
    "a query that holds an address",
    "GET /x?u=http://guarded.example/ HTTP/1.1\r\nHost: open.example:80",
    "open.example:80",
  ],
  [
    "other characters of names",
    "GET /x HTTP/1.1\r\nHost: a_b~!$&'()*+,;=%41.open.example",
    "a_b~!$&'()*+,;=%41.open.example",
  ],
  ["a host of 253 characters", `GET /x HTTP/1.1\r\nHost: ${longest}`, longest],
  ["an address", "GET /x HTTP/1.1\r\nHost: [2001:db8::1]:80", "[2001:db8::1]:80"],
  ["an absolute target alone, in HTTP/1.0", "GET http://open.example/x HTTP/1.0", "open.example"],
];

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode });
    world.auth.answer = (_request, response) => response.end();
    const annotations = { "auth-url": `${world.auth.origin}/check` };
    const backend = { service: { name: "web", port: { number: 80 } } };
    const paths = [{ path: "/", pathType: "Prefix" as const, backend }];
    await world.apply(
      settings({ "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" }),
      ingress({ name: "open", host: "open.example", annotations }),
      ingress({ name: "below", host: "*.below.example", annotations: { "app-root": "/start/$1" } }),
      ingress({ name: "any", host: "*.open.example", annotations }),
      ingress({ name: "hostless", annotations, spec: { ingressClassName: "nginx", rules: [{ http: { paths } }] } }),
      ingress({ name: "guarded", host: "guarded.example", annotations: { "denylist-source-range": "0.0.0.0/0" } }),
      ingress({
        name: "text",
        host: "text.example",
        annotations: { "server-snippet": 'location /own { return 200 "own of $http_host"; }' },
      }),
    );
  });
  afterAll(() => world.stop());

  const send = (head: string) => exchange(`${head}\r\nConnection: close\r\n\r\n`);

  test.each(contrary)("%s is answered 400, and no backend gets it", async (_what, head) => {
    world.backend.forget();
    expect(statuses(await send(head))).toEqual([400]);
    expect(world.backend.asked).toEqual([]);
  });

  test.each(honest)("%s is served as usual", async (_what, head, expected) => {
    world.backend.forget();
    world.auth.forget();
    expect(statuses(await send(head))).toEqual([200]);
    const [asked] = world.backend.asked;
    expect(asked!.headers).toContainEqual(["host", expected]);
    expect(asked!.headers).toContainEqual(["x-forwarded-host", expected]);
    const [path] = /\/x\S*/.exec(head.replace(/^\S+ (\w+:\/\/[^/]+)?/, "")) ?? [];
    expect(world.auth.asked[0]!.headers).toContainEqual(["x-original-url", `http://${expected}${path}`]);
  });

  test("requests that a snippet of the host serves beside the routes have one host as well", async () => {
    expect(statuses(await send("GET http://text.example/own HTTP/1.1\r\nHost: guarded.example"))).toEqual([400]);
    expect(statuses(await send("GET /own HTTP/1.1\r\nHost: text.example:80x"))).toEqual([400]);
    expect(await send("GET /own HTTP/1.1\r\nHost: text.example:80")).toContain("own of text.example:80");
  });

  test("the label below a wildcard stays the same, with and without a port", async () => {
    const label = async (host: string) => {
      const answer = await send(`GET / HTTP/1.1\r\nHost: ${host}`);
      return /^Location: \S+?:\/\/[^/]+(\S*)/im.exec(answer)?.[1];
    };
    const hosts = ["one.below.example", "one.below.example:24000", "ONE.below.example.", "one.below.example:"];
    expect(await Promise.all(hosts.map(label))).toEqual(hosts.map(() => "/start/one"));
  });

  test("over HTTP/2 a Host header beside :authority does not change the host", async () => {
    const to = `192.0.2.1:${ports.https}`;
    const ask = (headers: Record<string, string>) =>
      requestHttp2({ to, sni: "open.example", host: "open.example", path: "/x", headers });
    world.backend.forget();
    expect((await ask({})).status).toBe(200);
    expect(world.backend.asked[0]!.headers).toContainEqual(["host", "open.example"]);
    world.backend.forget();
    const { status } = await ask({ host: "guarded.example" });
    const received = world.backend.asked.flatMap(({ headers }) => headers.filter(([name]) => name === "host"));
    expect([status, received.filter(([, host]) => host !== "open.example")]).toEqual([400, []]);
  });

  test("an auth service gets no X-Forwarded-* header that the client wrote", async () => {
    world.auth.forget();
    const claims = [
      "Host",
      "Port",
      "Proto",
      "Scheme",
      "Prefix",
      "Uri",
      "Method",
      "User",
      "Email",
      "Groups",
      "Server",
      "Ssl",
    ];
    const lines = [
      ...claims.map((one) => `X-Forwarded-${one}: pwned`),
      "Forwarded: host=pwned",
      "X-Forwarded-For: 6.6.6.6",
    ];
    await send(`GET /x HTTP/1.1\r\nHost: open.example\r\n${lines.join("\r\n")}`);
    const { headers } = world.auth.asked[0]!;
    expect(headers.filter(([, value]) => /pwned|6\.6\.6\.6/.test(value))).toEqual([]);
  });
});

describe.each(["dynamic", "static"] as const)("%s mode, behind a proxy that is trusted", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode });
    world.auth.answer = (_request, response) => response.end();
    const annotations = { "auth-url": `${world.auth.origin}/check` };
    await world.apply(settings({ "use-forwarded-headers": "true" }), ingress({ name: "open", annotations }));
  });
  afterAll(() => world.stop());

  test("an auth service gets the X-Forwarded-* headers that the proxy wrote", async () => {
    await exchange(
      "GET /x HTTP/1.1\r\nHost: open.example\r\nX-Forwarded-Uri: /said\r\nX-Forwarded-Host: said.example\r\nConnection: close\r\n\r\n",
    );
    const { headers } = world.auth.asked[0]!;
    expect(headers).toContainEqual(["x-forwarded-uri", "/said"]);
    expect(headers).toContainEqual(["x-original-url", "http://open.example/x"]);
  });
});
