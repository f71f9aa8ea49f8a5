/**
 * Headers that determine the end of a message, in lists of headers. If a backend and nginx disagree
 * about the end of one request, the next user's request becomes a part of the attacker's, because
 * both use the same kept connection.
 */
import { createServer, type Server } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Directive } from "../../support/nginx-tree.ts";
import { configMap, ingress, service, settings } from "../support/objects.ts";
import { startWorld, type World } from "../support/world.ts";

/** Each header in spellings that some servers read as the header itself. */
const reserved = [
  ...["Content-Length", "content_length", "CONTENT-LENGTH", "Transfer-Encoding", "transfer_encoding", "Connection"],
  ...[
    "Host",
    "HOST",
    "Upgrade",
    "TE",
    "te",
    "Trailer",
    "Expect",
    "Keep-Alive",
    "keep_alive",
    "Proxy",
    "Proxy-Connection",
  ],
  ...["Proxy-Authorization", "proxy_authorization", "HTTP2-Settings"],
];

const isReserved = (name: string): boolean =>
  reserved.some((one) => one.toLowerCase().replaceAll("_", "-") === name.toLowerCase().replaceAll(/[_.]/g, "-"));

/** Returns the headers that directives of the tree set, with their values. */
function setIn(tree: readonly Directive[]): string[] {
  return tree.flatMap(({ name, args, block = [] }) => [
    ...(/^(proxy|grpc)_set_header$|^add_header$|^fastcgi_param$/.test(name) ? [`${name} ${args[0]} ${args[1]}`] : []),
    ...(name === "more_set_headers" || name === "more_set_input_headers" ? args.map((arg) => `${name} ${arg}`) : []),
    ...setIn(block),
  ]);
}

/**
 * Starts a backend that reads each request by its Content-Length alone and records everything that
 * it gets.
 */
async function byLength(address: string): Promise<{ readonly server: Server; readonly port: number; text: string }> {
  const it = { server: createServer(), port: 0, text: "" };
  it.server.on("connection", (socket) => {
    socket.setEncoding("latin1").on("error", () => {});
    socket.on("data", (data) => {
      it.text += data;
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
  });
  await new Promise<void>((resolve) => it.server.listen(0, address, resolve));
  const bound = it.server.address();
  it.port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return it;
}

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  let victim: Awaited<ReturnType<typeof byLength>>;
  beforeAll(async () => {
    world = await startWorld({ mode });
    victim = await byLength("192.0.2.62");
  });
  afterEach(() => world.clear());
  afterAll(async () => {
    await world.stop();
    victim.server.close();
  });

  /** Returns the lines that set headers, without those that always exist. */
  const added = (before: readonly string[]): string[] => {
    const known = new Set(before);
    const all = setIn(world.tree()).filter((line) => !known.has(line));
    return all.filter((line) => isReserved(line.split(/[ :]/)[1]!.replace(/^HTTP_/, "")) && !line.endsWith(" "));
  };

  test("an auth service's answer does not frame the request to the backend", async () => {
    world.auth.answer = (_request, response) =>
      response.writeHead(200, { "Content-Length": 900, "X-User": "u" }).end("x".repeat(900));
    await world.apply(
      ...service("victim", "192.0.2.62", victim.port),
      ingress({
        name: "evil",
        paths: [["/", "Prefix", "victim"]],
        annotations: { "auth-url": `${world.auth.origin}/`, "auth-response-headers": "X-User, Content-Length" },
      }),
    );
    await world.ask("evil.example", "/first").catch(() => undefined);
    expect(victim.text).not.toMatch(/^content-length: 900/im);
    expect(world.problemsOf("evil").join()).toMatch(
      /auth-response-headers.*"Content-Length" says where a message ends/,
    );
  });

  test("no answer of an auth service sets such a header for the backend, in any spelling", async () => {
    // nginx itself refuses an answer with a wrong length or coding.
    const some = reserved.filter((name) => !/^(content.length|transfer.encoding)$/i.test(name));
    const names = [...some, "content_length", "transfer_encoding", "X-User"];
    const lines = names.map((name) => `${name}: ${name === "X-User" ? "u" : "evil7"}\r\n`).join("");
    world.auth.answer = (_request, response) =>
      response.socket!.end(`HTTP/1.1 200 OK\r\n${lines}Content-Length: 0\r\n\r\n`);
    const annotations = { "auth-url": `${world.auth.origin}/`, "auth-response-headers": names.join(", ") };
    await world.apply(settings({ "enable-underscores-in-headers": "true" }), ingress({ name: "evil", annotations }));
    expect((await world.ask("evil.example")).body).toBe("secret");
    const received = world.backend.asked[0]!.headers;
    expect(received).toContainEqual(["x-user", "u"]);
    expect(received.filter(([, value]) => value.includes("evil7"))).toEqual([]);
  });

  test.each(reserved)("no list of an Ingress sets %s", async (name) => {
    const before = setIn(world.tree());
    const header = { [name]: "7", "X-Honest": "yes" };
    const url = `${world.auth.origin}/`;
    world.auth.answer = (_request, response) => response.end();
    await world.apply(
      settings({ "global-allowed-response-headers": `${name},X-Honest` }),
      configMap("lists", header),
      ingress({ name: "asks", annotations: { "auth-url": url, "auth-proxy-set-headers": "ns/lists" } }),
      ingress({ name: "answers", annotations: { "auth-url": url, "auth-response-headers": `X-Honest, ${name} ` } }),
      ingress({ name: "customs", annotations: { "custom-headers": "ns/lists" } }),
      ingress({
        name: "fcgi",
        annotations: { "backend-protocol": "FCGI", "fastcgi-params-configmap": "ns/params" },
      }),
      configMap("params", {
        [`HTTP_${name.toUpperCase().replaceAll("-", "_")}`]: "7",
        CONTENT_LENGTH: "7",
        HONEST: "yes",
      }),
      ingress({
        name: "grpc",
        annotations: { "backend-protocol": "GRPC", "auth-url": url, "auth-response-headers": name },
      }),
    );
    const ours = [
      "proxy_set_header Connection",
      "proxy_set_header Host $",
      "grpc_set_header Host",
      "grpc_set_header Connection",
    ];
    const more = added(before).filter((line) => !ours.some((one) => line.startsWith(one)));
    const others = more.filter((line) => !/_set_header X-Honest /i.test(line));
    expect(others.filter((line) => /auth_header|7/.test(line))).toEqual([]);
    for (const one of ["asks", "answers", "customs", "fcgi", "grpc"]) {
      expect.soft(world.problemsOf(one).join(), one).toMatch(/which nginx alone decides/);
    }
    expect((await world.ask("asks.example")).status).toBe(200);
    const { headers } = await world.ask("customs.example");
    expect(headers["x-honest"]).toBe("yes");
    expect(world.auth.asked[0]!.headers).toContainEqual(["x-honest", "yes"]);
  });

  test("the operator's lists do not change a message's framing either", async () => {
    const frames = { "Content-Length": "7", transfer_encoding: "chunked", "X-Honest": "yes" };
    await world.apply(
      settings({
        ...{ "proxy-set-headers": "ns/frames", "add-headers": "ns/frames" },
        ...{ "global-auth-url": `${world.auth.origin}/`, "global-auth-response-headers": "Content-Length,X-User" },
        ...{ "use-proxy-protocol": "false", "forwarded-for-proxy-protocol-header": "Content-Length" },
      }),
      configMap("frames", frames),
      ingress({ name: "a" }),
    );
    const lines = setIn(world.tree()).filter((line) => /content.length|transfer.encoding/i.test(line));
    // The second line ends requests whose answer has no frame; it never sets a length.
    const own = / $|^fastcgi_param CONTENT_LENGTH \$content_length$|^more_set_headers Content-Length: \$answer_frame$/;
    expect(lines.filter((line) => !own.test(line))).toEqual([]);
    expect(world.problemsOf("frames").join()).toMatch(/"Content-Length" says where a message ends/);
    expect((await world.ask("a.example")).headers["x-honest"]).toBe("yes");
  });

  test("an Ingress whose snippet changes the form of requests has connections of its own", async () => {
    const snippet = (text: string) => ({ "configuration-snippet": text });
    const [header, limit] = [snippet("proxy_set_header X-Team shop;"), snippet("limit_rate 10m;")];
    await world.apply(
      settings({ "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" }),
      ingress({ name: "plain" }),
      ingress({ name: "limits", annotations: limit }),
      ingress({ name: "frames", annotations: header }),
      ...service("web", world.backend.address, world.backend.port, "other"),
      ingress({ name: "others", namespace: "other", annotations: header }),
    );
    const passes = new Set(poolsIn(world.tree()));
    const extra = [...passes].filter((pool) => /_[\da-f]{16}$/.test(pool));
    expect(extra).toHaveLength(2);
    for (const host of ["plain", "limits", "frames", "others"]) {
      expect([host, (await world.ask(`${host}.example`)).status]).toEqual([host, 200]);
    }
  });

  test("connections to an auth service are kept for one namespace if its method opens a tunnel", async () => {
    const annotations = { "auth-url": `${world.auth.origin}/`, "auth-keepalive": "8" };
    const tunnels = { ...annotations, "auth-method": "CONNECT" };
    await world.apply(
      ...service("web", world.backend.address, world.backend.port, "other"),
      ingress({ name: "a", annotations }),
      ingress({ name: "b", namespace: "other", annotations }),
      ingress({ name: "c", annotations: tunnels }),
      ingress({ name: "d", namespace: "other", annotations: tunnels }),
    );
    const names = treeOfHttp(world.tree()).filter((name) => name.startsWith("auth_"));
    expect(new Set(names).size).toBe(3);
  });
});

function poolsIn(tree: readonly Directive[]): string[] {
  return tree.flatMap(({ name, args, block = [] }) => [
    ...(name === "proxy_pass" ? [args[0]!.replace(/^http:\/\//, "")] : []),
    ...poolsIn(block),
  ]);
}

function treeOfHttp(tree: readonly Directive[]): string[] {
  const http = tree.find(({ name }) => name === "http")?.block ?? [];
  return http.filter(({ name }) => name === "upstream").map(({ args }) => args[0]!);
}
