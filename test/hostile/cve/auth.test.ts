/**
 * Authentication fails closed: whatever is broken, slow, missing or manipulated, the client does
 * not get the guarded content. The backend answers `secret` to every request that reaches it, and
 * no answer here may contain that.
 */
import { describe, expect, test } from "vitest";
import { ingress, secret, service, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const basic = { "auth-type": "basic", "auth-secret": "users" };
const users = secret("users", { auth: "u:{PLAIN}right\n" });
const as = (password: string) => ({ authorization: `Basic ${Buffer.from(`u:${password}`).toString("base64")}` });

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  const guarded = (annotations: Record<string, string> = {}) =>
    ingress({ name: "guarded", annotations: { "auth-url": `${world.auth.origin}/check`, ...annotations } });
  const refuses = (status: number) => {
    world.auth.answer = (_request, response) => response.writeHead(status).end("no");
  };
  const body = async (headers = {}) => (await world.ask("guarded.example", "/", { headers })).body;

  const open = [401, 403, 404, 500, 502, 503, 504].join(" ");
  test.each([
    [
      "CVE-2026-24513: custom-http-errors of the Ingress",
      {},
      { "custom-http-errors": "401,403,500,502,503", "default-backend": "web" },
    ],
    ["CVE-2026-24513: custom-http-errors of the operator", { "custom-http-errors": "401,403,500,502,503" }, {}],
    ["CVE-2026-24513: error pages in http-snippet", { "http-snippet": `error_page ${open} =200 /open;` }, {}],
    ["CVE-2026-24513: error pages in server-snippet", { "server-snippet": `error_page ${open} =200 /open;` }, {}],
    ["CVE-2026-24513: error pages in location-snippet", { "location-snippet": `error_page ${open} =200 /open;` }, {}],
    [
      "CVE-2026-24513: auth-tls-error-page",
      {},
      { "auth-tls-secret": "ns/nowhere", "auth-tls-error-page": "https://a.example/open" },
    ],
    ["CVE-2026-24513: a sign-in page", {}, { "auth-signin": "http://guarded.example/open" }],
  ] as const)("no status of an auth service opens the guarded path (%s)", async (_title, operator, own) => {
    world.backend.answer = (request, response) => {
      const page = request.headers["x-code"] !== undefined || request.url?.startsWith("/open");
      response.end(page ? "page" : "secret");
    };
    const free = ingress({ name: "open", host: "guarded.example", paths: [["/open"]] });
    await world.apply(settings(operator), free, guarded(own));
    for (const status of [401, 403, 302, 404, 500, 503]) {
      refuses(status);
      expect.soft(await body(), `the auth service answers ${status}`).not.toContain("secret");
    }
    await world.apply(guarded({ ...own, "auth-url": "http://192.0.2.1:9/" }));
    expect.soft(await body(), "nobody listens").not.toContain("secret");
    const { "auth-tls-secret": _tls, ...others } = own as Record<string, string>;
    await world.apply(users, ingress({ name: "guarded", annotations: { ...basic, ...others } }));
    expect.soft(await body(), "no password").not.toContain("secret");
    expect.soft(await body(as("wrong")), "a wrong password").not.toContain("secret");
  });

  test("requests with the right credentials pass", async () => {
    await world.apply(guarded());
    expect(await body()).toBe("secret");
    await world.apply(users, ingress({ name: "guarded", annotations: basic }));
    expect(await body(as("right"))).toBe("secret");
  });

  test.each([
    ["1xx and nothing after it", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["a redirect to an open page", "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"],
    ["304", "HTTP/1.1 304 Not Modified\r\n\r\n"],
    ["no status", "HTTP/1.1 \r\n\r\n"],
    ["a status that is not a number", "HTTP/1.1 2OO OK\r\nContent-Length: 0\r\n\r\n"],
    ["a status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n"],
    ["no HTTP", "\0\x01\x02\x03\x04\x05\x06\r\n\r\n"],
    ["nothing", ""],
    ["half a header", "HTTP/1.1 200 OK\r\nX-A: "],
    ["headers that are too large", `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(200_000)}\r\n\r\n`],
    ["a header with a NUL", "HTTP/1.1 200 OK\r\nX-\0A: 1\r\nContent-Length: 0\r\n\r\n"],
    [
      "both lengths",
      "HTTP/1.1 401 No\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ],
  ])("no request passes an auth service that answers %s", async (_what, bytes) => {
    world.auth.answer = ({ socket }) => socket.end(bytes, "latin1");
    await world.apply(guarded({ "auth-response-headers": "X-A" }));
    expect(await body()).not.toContain("secret");
  });

  test("no request passes an auth service that closes the connection or is slow", async () => {
    world.auth.answer = ({ socket }) => socket.destroy();
    await world.apply(guarded());
    expect(await body()).not.toContain("secret");
    const held: (() => void)[] = [];
    world.auth.answer = (_request, response) => void held.push(() => response.writeHead(401).end());
    const waiting = body();
    await expect.poll(() => held.length).toBe(1);
    expect(world.backend.asked.filter(({ url }) => url === "/")).toEqual([]);
    held[0]!();
    expect(await waiting).not.toContain("secret");
  });

  test.each([
    [
      "Traefik 13323: the Secret is missing",
      [],
      "annotation auth-secret: Secret ns/users not found; its paths answer 503",
    ],
    [
      "the Secret has no key auth",
      [secret("users", { other: "u:{PLAIN}right" })],
      "annotation auth-secret: Secret ns/users has no key auth; its paths answer 503",
    ],
    ["the Secret is empty", [secret("users", { auth: "" })], undefined],
    ["the Secret holds no users", [secret("users", { auth: "\0\xff not a user\n\n:\nu\n" })], undefined],
  ])("no request passes basic authentication (%s)", async (_title, objects, expected) => {
    await world.apply(...objects, ingress({ name: "guarded", annotations: basic }));
    expect(world.problemsOf("guarded")).toEqual(expected === undefined ? [] : [expected]);
    for (const headers of [{}, as("right"), as(""), { authorization: "Basic" }, { authorization: "Basic Og==" }]) {
      const answer = await world.ask("guarded.example", "/", { headers });
      expect(answer.body).not.toContain("secret");
      expect(answer.status).toBe(expected === undefined ? 401 : 503);
    }
  });

  test("Traefik 13323: deleting the Secret closes the path, and restoring it opens the path for its users", async () => {
    await world.apply(users, ingress({ name: "guarded", annotations: basic }));
    expect(await body(as("right"))).toBe("secret");
    await world.remove(users);
    expect((await world.ask("guarded.example", "/", { headers: as("right") })).status).toBe(503);
    await world.apply(users);
    expect(await body(as("right"))).toBe("secret");
  });

  test("CVE-2020-8553: Secrets whose names differ only in the place of the hyphen are kept apart", async () => {
    const [one, other] = [
      ["a-b", "c"],
      ["a", "b-c"],
    ] as const;
    for (const [namespace, name] of [one, other]) {
      const annotations = { "auth-type": "basic", "auth-secret": name };
      await world.apply(
        ...service("web", world.backend.address, world.backend.port, namespace),
        secret(name, { auth: `u:{PLAIN}${namespace}\n` }, namespace),
        ingress({ name, namespace, host: `${namespace}.example`, annotations }),
      );
    }
    const status = async (host: string, password: string) =>
      (await world.ask(host, "/", { headers: as(password) })).status;
    expect([await status("a-b.example", "a"), await status("a.example", "a-b")]).toEqual([401, 401]);
    expect([await status("a-b.example", "a-b"), await status("a.example", "a")]).toEqual([200, 200]);
  });

  test("cached answers are not used for another Ingress, host, path or session", async () => {
    const cached = { "auth-cache-key": "$cookie_s", "auth-cache-duration": "200 401 5m" };
    await world.apply(
      guarded(cached),
      ingress({ name: "other", annotations: { "auth-url": `${world.auth.origin}/check`, ...cached } }),
    );
    const cookie = { cookie: "s=1" };
    expect(await body(cookie)).toBe("secret");
    refuses(401);
    expect(await body(cookie), "kept").toBe("secret");
    expect((await world.ask("other.example", "/", { headers: cookie })).status).toBe(401);
    expect((await world.ask("guarded.example", "/", { headers: { cookie: "s=2" } })).status).toBe(401);
    expect((await world.ask("guarded.example", "/", { headers: {} })).status).toBe(401);
  });

  test("a client cannot set the headers about the user that the auth service returns", async () => {
    world.auth.answer = (_request, response) => response.setHeader("X-User", "alice").end();
    await world.apply(guarded({ "auth-response-headers": "X-User, X-Groups" }));
    await body({ "x-user": "root", "X-Groups": "admin", x_user: "root" });
    const seen = world.backend.asked.at(-1)!.headers.filter(([name]) => /user|groups/.test(name));
    expect(seen).toEqual([["x-user", "alice"]]);
  });
});
