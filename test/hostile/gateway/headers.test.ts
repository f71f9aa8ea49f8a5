/**
 * Headers that a route of the Gateway API changes in requests and answers. Headers that frame a
 * message or concern one connection belong to nginx here too, because requests of tenants share
 * connections to backends, and answers may share one to a proxy in front.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { type Answer, type RequestOptions, request } from "../../nginx/support/request.ts";
import { until } from "../../nginx/support/until.ts";
import { gateway, gatewayClass, route } from "../../support/gateways.ts";
import { service, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.70"] });
const to = "192.0.2.70:80";

beforeEach(() => world.apply(gatewayClass(), gateway({})));

const ask = (more: Partial<RequestOptions> = {}): Promise<Answer> => request({ to, host: "a.example", ...more });
const web = { name: "web", port: 80 };
const put = (...filters: object[]) => world.apply(route({ rules: [{ backendRefs: [web], filters }] }));
const modifier = (type: "Request" | "Response", changes: object) => ({
  type: `${type}HeaderModifier`,
  [`${type.toLowerCase()}HeaderModifier`]: changes,
});

const reserved = [
  ...["Content-Length", "content_length", "Transfer-Encoding", "transfer.encoding", "Connection", "Upgrade", "TE"],
  ...["Trailer", "Expect", "Keep-Alive", "Proxy", "Proxy-Connection", "Proxy-Authorization", "HTTP2-Settings"],
  ...["X-Sluice-Hops", "x_sluice_client_address"],
];

describe.each(["Request", "Response"] as const)("%sHeaderModifier", (type) => {
  test.each(reserved)("refuses to change %s", async (name) => {
    for (const changes of [{ set: [{ name, value: "7" }] }, { add: [{ name, value: "7" }] }, { remove: [name] }]) {
      const filters = [modifier(type, changes)];
      for (const rule of [{ backendRefs: [web], filters }, { backendRefs: [{ ...web, filters }] }]) {
        await world.apply(route({ rules: [rule] }));
        expect.soft([changes, (await ask()).status]).toEqual([changes, 500]);
        expect.soft(world.problemsOf("route").join()).toMatch(/which nginx alone decides|a header of Sluice's own/);
      }
    }
    expect(world.backend.asked).toEqual([]);
  });

  test("refuses a value of more than one line", async () => {
    for (const value of ["a\r\nEvil: 1", "a\nEvil: 1", "a\rb", "\0", "\x7f", "a\x1b[2J"]) {
      await put(modifier(type, { set: [{ name: "X-Text", value }] }));
      expect.soft((await ask()).status, JSON.stringify(value)).toBe(500);
      expect.soft(world.problemsOf("route").join()).toContain("has a control character in it");
    }
    await put(modifier(type, { set: [{ name: "X-Text", value: 'a\t"$host" ; é' }] }));
    const { status, headers } = await ask();
    const seen =
      type === "Response" ? headers["x-text"] : world.backend.asked[0]!.headers.find(([n]) => n === "x-text")![1];
    expect([status, Buffer.from(String(seen), "latin1").toString()]).toEqual([200, 'a\t"$host" ; é']);
  });
});

test("a rewritten Host has to be a host name", async () => {
  for (const value of ["a\r\nEvil: 1", "a b", "", "a/b", "a@b", "unix:", "a:0", "a:b", "@x"]) {
    for (const one of [
      modifier("Request", { set: [{ name: "Host", value }] }),
      modifier("Request", { add: [{ name: "host", value }] }),
      { type: "URLRewrite", urlRewrite: { hostname: value } },
      { type: "RequestRedirect", requestRedirect: { hostname: value } },
    ]) {
      await put(one);
      expect.soft([value, (await ask()).status]).toEqual([value, 500]);
    }
  }
  await put(modifier("Request", { set: [{ name: "Host", value: "b.example:8080" }] }));
  expect((await ask()).status).toBe(200);
  expect(world.backend.asked.at(-1)!.headers).toContainEqual(["host", "b.example:8080"]);
  await put(modifier("Response", { set: [{ name: "Host", value: "b.example" }] }));
  expect((await ask()).status).toBe(500);
});

test("lists of CORS stay on one line", async () => {
  for (const list of ["allowOrigins", "allowMethods", "allowHeaders", "exposeHeaders"]) {
    await put({ type: "CORS", cors: { allowOrigins: ["*"], [list]: ["a\r\nEvil: 1"] } });
    expect.soft([list, (await ask()).status]).toEqual([list, 500]);
  }
});

test("a rewritten path reaches no internal location and ends no line", async () => {
  const paths = [
    ...["/_sluice/variables", "/_sluice/", "@sluice_status", "/nginx_status", "//evil.example/", "/a?b#c d", "/../x"],
    ...["/a\r\nEvil: 1", "/a HTTP/1.1\r\nHost: b\r\n\r\nGET /b", "/\0", "", "x", "http://192.0.2.1/"],
  ];
  for (const path of paths) {
    world.backend.forget();
    await put({ type: "URLRewrite", urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: path } } });
    const { status, body } = await ask({ path: "/x?q=1" });
    expect.soft([path, status, body]).toEqual([path, 200, "secret"]);
    expect.soft(world.backend.asked, path).toHaveLength(1);
    expect.soft(world.backend.asked[0]?.url, path).toMatch(/^\/?[^\s?#]*\?q=1$/);
    expect.soft(world.backend.asked[0]?.headers.some(([name]) => name === "evil")).toBe(false);
    await put({
      type: "RequestRedirect",
      requestRedirect: { path: { type: "ReplaceFullPath", replaceFullPath: path } },
    });
    const { headers } = await ask({ path: "/x" });
    expect.soft(headers, path).not.toHaveProperty("evil");
    expect.soft(headers.location, path).toMatch(/^http:\/\/a\.example\/[^\s]*$/);
  }
});

test("a copy of a request has only the headers of the request", async () => {
  const mirror = { type: "RequestMirror", requestMirror: { backendRef: { name: "copies", port: 80 } } };
  await world.apply(...service("copies", world.auth.address, world.auth.port));
  const path = "/a HTTP/1.1\r\nHost: b\r\nEvil: 1\r\n\r\n";
  await put(mirror, { type: "URLRewrite", urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: path } } });
  expect((await ask({ path: "/x?a=%0d%0aEvil:1" })).status).toBe(200);
  await until("the copy", () => world.auth.asked.length > 0);
  expect(world.auth.asked).toHaveLength(1);
  expect(world.auth.asked[0]!.headers.some(([name]) => name === "evil")).toBe(false);
});

test("mirrors that lead to their own route make one copy each", async () => {
  const back = { type: "RequestMirror", requestMirror: { backendRef: { name: "back", port: 80 } } };
  await world.apply(...service("back", "192.0.2.70", 80));
  await world.apply(route({ hostnames: ["a.example"], rules: [{ backendRefs: [web], filters: [back, back, back] }] }));
  expect((await ask()).status).toBe(200);
  await until("the copies", () => world.backend.asked.length > 0);
  // The answers to later requests come after all effects of the copies.
  for (let at = 0; at < 20; at++) expect((await ask({ host: "nobody.example" })).status).toBe(404);
  expect(world.backend.asked).toHaveLength(1);
});

test("a route whose backend leads back to it ends, also if it removes headers", async () => {
  const origin = ["X-Forwarded-For", "X-Forwarded-Proto", "X-Scheme", "X-Request-ID"];
  await world.apply(...service("back", "192.0.2.70", 80));
  for (const filters of [
    [],
    [modifier("Request", { remove: origin })],
    [modifier("Request", { remove: ["X-Scheme"] })],
  ])
    for (const rule of [
      { backendRefs: [{ name: "back", port: 80 }], filters },
      { backendRefs: [{ name: "back", port: 80, filters }] },
    ]) {
      await world.apply(route({ hostnames: ["a.example"], rules: [rule] }));
      expect.soft([rule, (await ask()).status]).toEqual([rule, 508]);
    }
});

test("with underscores let through, no other spelling of a header passes for the header itself", async () => {
  const auth = { name: "auth", port: 80 };
  const asks = { protocol: "HTTP", backendRef: auth, http: { allowedResponseHeaders: ["X-User"] } };
  const changes = { set: [{ name: "X-Team", value: "web" }], remove: ["X-Admin-Of"] };
  const filters = [
    { type: "ExternalAuth", externalAuth: asks },
    { type: "RequestMirror", requestMirror: { backendRef: auth } },
    modifier("Request", changes),
  ];
  const matches = [{ path: { type: "PathPrefix", value: "/" }, headers: [{ name: "X-Ver", value: "2" }] }];
  world.auth.answer = (_request, response) => response.writeHead(200, { "X-User": "ann" }).end();
  await world.apply(
    settings({ "enable-underscores-in-headers": "true" }),
    ...service("auth", world.auth.address, world.auth.port),
    route({ rules: [{ backendRefs: [web], matches, filters }] }),
  );
  for (const name of ["x_ver", "X_Ver"]) expect((await ask({ headers: { [name]: "2" } })).status).toBe(404);
  expect(world.auth.asked).toEqual([]);
  const forged = {
    ...{ x_user: "root", X_USER: "root", x_team: "ops", x_admin_of: "all", "x-admin_of": "all", "x_admin-of": "all" },
    ...{ x_sluice_copy: "x", "x-sluice_copy": "x", x_sluice_hops: "x", x_forwarded_for: "6.6.6.6", x_own: "kept" },
  };
  expect((await ask({ headers: { ...forged, x_ver: "1", "x-ver": "2" } })).status).toBe(200);
  const ofInterest = /^x.(user|team|admin.of|forwarded.for|own)$/;
  const received = world.backend.asked[0]!.headers.filter(([name]) => ofInterest.test(name)).sort();
  expect(received).toEqual([
    ["x-forwarded-for", "192.0.2.70"],
    ["x-team", "web"],
    ["x-user", "ann"],
    ["x_own", "kept"],
  ]);
  await until("the copy", () => world.auth.asked.length === 2);
  const copy = world.auth.asked.find(({ headers }) => headers.some(([name]) => name === "x_own"))!;
  expect(copy.headers.filter(([name]) => /sluice.copy|forwarded_for|sluice_hops/.test(name))).toEqual([]);
});
