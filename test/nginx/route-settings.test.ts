/**
 * Tests RouteSettings on a real nginx: a sample of the effects that annotations have, here for
 * rules of routes.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import type { Seen } from "../support/echo-backend.ts";
import { bySettings, gateway, gatewayClass, listener, namespace, route, routeSettings } from "../support/gateways.ts";
import { type RequestOptions, request } from "./support/request.ts";
import { type Stand, startStand } from "./support/stand.ts";

const address = "192.0.2.94";
const to = "192.0.2.95:18900";
let stand: Stand;

beforeAll(async () => {
  stand = await startStand({
    mode: "dynamic",
    port: 8591,
    address,
    settings: { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" },
    flags: ["--gateway-addresses=192.0.2.95"],
  });
});
afterAll(() => stand.stop());

const listeners = [listener({ port: 18_900 })];
const world: readonly KubernetesObject[] = [gatewayClass(), namespace("ns"), gateway({ listeners })];
const backendRefs = [{ name: "web", port: 80 }];
const web = (rule: object = {}) => route({ rules: [{ filters: [bySettings()], backendRefs, ...rule }] });
const ask = (path = "/", options: Partial<RequestOptions> = {}) => request({ to, host: "a.example", path, ...options });

/** Sends a request, and returns it as the backend saw it. */
async function echoed(path: string, options: Partial<RequestOptions> = {}): Promise<Seen> {
  const { status, body } = await ask(path, options);
  expect(status, path).toBe(200);
  return JSON.parse(body) as Seen;
}

/** Applies these values as the RouteSettings of the only rule. */
async function apply(values: Record<string, unknown>, ...more: readonly KubernetesObject[]): Promise<void> {
  const routes = more.some(({ kind }) => kind === "HTTPRoute") ? [] : [web()];
  await stand.apply(...world, routeSettings({ values }), ...routes, ...more);
}

test("without proxy-body-size bodies have no limit", async () => {
  await apply({});
  expect((await ask("/", { method: "POST", body: "x".repeat(3_000_000) })).status).toBe(200);
});

test("bodies beyond proxy-body-size get 413", async () => {
  await apply({ "proxy-body-size": "1k" });
  expect((await ask("/", { method: "POST", body: "x".repeat(500) })).status).toBe(200);
  expect((await ask("/", { method: "POST", body: "x".repeat(2000) })).status).toBe(413);
});

test("a redirect needs no backend", async () => {
  await stand.apply(
    ...world,
    routeSettings({ values: { "permanent-redirect": "https://other.example/", "permanent-redirect-code": "308" } }),
    route({ rules: [{ filters: [bySettings()] }] }),
  );
  const { status, headers } = await ask("/anywhere");
  expect([status, headers.location]).toEqual([308, "https://other.example/"]);
});

test("app-root of a listener redirects / of its hosts, and no other path", async () => {
  const root = (target: string) =>
    routeSettings({ name: "root", to: [["Gateway", "gw", "http"]], values: { "app-root": target } });
  await apply({ "auth-type": "basic", "auth-secret": "gone" }, root("/$host/start"));
  const { status, headers } = await ask("/?x=1", { host: "a.example:18900" });
  expect([status, headers.location]).toEqual([302, "http://a.example:18900/a.example/start"]);
  expect((await ask("/other")).status, "closed, because its passwords are missing").toBe(503);
  await apply({}, root("/start"));
  expect((await ask("/start")).status).toBe(200);
  await apply({});
  expect((await ask("/")).status, "without the settings the rule has the path").toBe(200);
});

test("from-to-www-redirect of a listener redirects names without a route to the host that has one", async () => {
  const twins = routeSettings({
    name: "twins",
    to: [["Gateway", "gw", "http"]],
    values: { "from-to-www-redirect": "true" },
  });
  const routes = [
    route({ hostnames: ["a.example", "www.b.example"] }),
    route({ name: "both", hostnames: ["c.example", "www.c.example"] }),
  ];
  const seen = async (host: string) => {
    const { status, headers } = await request({ to, host: `${host}:18900`, path: "/x%20y/?z=1" });
    return [status, headers.location];
  };
  await apply({}, twins, ...routes);
  expect(await seen("www.a.example")).toEqual([308, "http://a.example:18900/x%20y/?z=1"]);
  expect(await seen("b.example")).toEqual([308, "http://www.b.example:18900/x%20y/?z=1"]);
  expect(await seen("a.example")).toEqual([200, undefined]);
  expect(await seen("www.c.example"), "a name with a route").toEqual([200, undefined]);
  expect((await seen("www.www.a.example"))[0]).toBe(404);
  await apply({}, ...routes);
  expect((await seen("www.a.example"))[0], "without the settings").toBe(404);
});

test("only addresses in all lists may pass", async () => {
  const outer = (list: string) =>
    routeSettings({ name: "outer", to: [["Gateway", "gw"]], values: { "allowlist-source-range": list } });
  await apply({ "allowlist-source-range": "192.0.2.0/24,127.0.0.0/8" }, outer("0.0.0.0/0"));
  expect((await ask()).status).toBe(200);
  await apply({ "allowlist-source-range": "192.0.2.0/24,127.0.0.0/8" }, outer("10.0.0.0/8"));
  expect((await ask()).status).toBe(403);
  await apply({ "denylist-source-range": "0.0.0.0/0" });
  expect((await ask()).status).toBe(403);
});

test("satisfy any lets no request past all checks, whatever filters do to headers", async () => {
  const any = { satisfy: "any", "denylist-source-range": "0.0.0.0/0", "auth-type": "basic", "auth-secret": "users" };
  const users: KubernetesObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "users", namespace: "ns" },
    ...{ data: { auth: Buffer.from("ann:{PLAIN}pass\n").toString("base64") } },
  };
  const modifier = { type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: "x-team", value: "a" }] } };
  const plain = { matches: [{ path: { value: "/plain" } }], filters: [bySettings()], backendRefs };
  const steered = { matches: [{ path: { value: "/steered" } }], filters: [bySettings(), modifier], backendRefs };
  const retried = { ...plain, matches: [{ path: { value: "/retried" } }], retry: { attempts: 1, codes: [500] } };
  await apply(any, users, route({ rules: [plain, steered, retried] }));
  const authorization = `Basic ${Buffer.from("ann:pass").toString("base64")}`;
  const statuses = async (path: string) => [
    (await ask(path)).status,
    (await ask(path, { headers: { authorization } })).status,
  ];
  expect(await statuses("/plain")).toEqual([401, 200]);
  expect(await statuses("/steered"), "both checks have to let a request pass").toEqual([403, 403]);
  expect(await statuses("/retried")).toEqual([403, 403]);
});

test("rewrite-target may use groups of a regular expression, and replaces plain paths", async () => {
  const by = (value: string, type: string) => ({
    matches: [{ path: { type, value } }],
    filters: [bySettings()],
    backendRefs,
  });
  const rules = [by("/api(/|$)(.*)", "RegularExpression"), by("/old", "PathPrefix")];
  await apply({ "rewrite-target": "/v2/$2", "x-forwarded-prefix": "/api" }, route({ rules }));
  const seen = await echoed("/api/carts/1?x=1");
  expect([seen.url, seen.headers["x-forwarded-prefix"]]).toEqual(["/v2/carts/1?x=1", "/api"]);
  expect((await echoed("/old/x")).url).toBe("/v2/");
  const snippet = { "rewrite-target": "/v2/$2", "configuration-snippet": 'more_set_headers "x-seen: $uri";' };
  await apply(snippet, route({ rules }));
  expect((await echoed("/api/carts/1")).url, "a snippet stands before the rewrite").toBe("/v2/carts/1");
});

test("affinity binds a client to an endpoint by a cookie of the rule", async () => {
  await apply({ affinity: "cookie", "session-cookie-name": "bound" });
  const [cookie = ""] = (await ask()).headers["set-cookie"] ?? [];
  expect(cookie).toMatch(/^bound=[^;]+; Path=\/; HttpOnly/);
  const again = await ask("/", { headers: { cookie: cookie.split(";")[0]! } });
  expect(again.headers["set-cookie"]).toBeUndefined();
  const path = { type: "RegularExpression", value: "/api/v[0-9]+" };
  await apply(
    { affinity: "cookie" },
    route({ rules: [{ matches: [{ path }], filters: [bySettings()], backendRefs }] }),
  );
  const [ofPattern = ""] = (await ask("/api/v1")).headers["set-cookie"] ?? [];
  expect(ofPattern, "a client sends it back").toMatch(/; Path=\/api; HttpOnly$/);
});

test("redirects, https redirects, CORS, headers and error pages work for routes", async () => {
  await apply({ "permanent-redirect": "https://new.example/", "permanent-redirect-code": 308 });
  const moved = await ask();
  expect([moved.status, moved.headers.location]).toEqual([308, "https://new.example/"]);
  await apply({ "force-ssl-redirect": true });
  const secure = await ask("/a?b=c");
  expect([secure.status, secure.headers.location]).toEqual([308, "https://a.example/a?b=c"]);
  await apply({ "ssl-redirect": true });
  expect((await ask()).status, "the Gateway has no listener with TLS").toBe(200);
  await apply({ "enable-cors": true, "cors-allow-origin": "https://shop.example" });
  const cors = await ask("/", { headers: { origin: "https://shop.example" } });
  expect(cors.headers["access-control-allow-origin"]).toBe("https://shop.example");
  await apply({ "configuration-snippet": 'add_header X-Team "shop" always;' });
  expect((await ask()).headers["x-team"]).toBe("shop");
  await apply({ "custom-http-errors": "404", "default-backend": "web" });
  const page = await ask("/?echo-status=404");
  expect(JSON.parse(page.body).headers["x-code"]).toBe("404");
});

test("a default backend answers where the backend has no endpoints", async () => {
  const none = [{ name: "none", port: 80 }];
  await apply({}, route({ rules: [{ filters: [bySettings()], backendRefs: none }] }));
  expect((await ask()).status).toBe(503);
  await apply({ "default-backend": "web" }, route({ rules: [{ filters: [bySettings()], backendRefs: none }] }));
  const answer = await ask("/x");
  expect(JSON.parse(answer.body)).toMatchObject({ url: "/x", headers: { "x-code": "503", "x-service-name": "none" } });
});

test("an auth service of settings guards the rule, and clients are sent to its sign-in page", async () => {
  const url = (status: number) => ({ "auth-url": `http://${address}:8080/?echo-status=${status}` });
  await apply(url(200));
  expect((await ask()).status).toBe(200);
  await apply(url(403));
  expect((await ask()).status).toBe(403);
  await apply({ ...url(401), "auth-signin": "https://login.example/start" });
  const login = await ask("/a");
  expect([login.status, login.headers.location]).toEqual([302, "https://login.example/start?rd=http://a.example%2Fa"]);
});

test("limit-rps answers 503 to requests above the rate, and closed rules to all", async () => {
  await apply({ "limit-rps": 1, "limit-burst-multiplier": 1 });
  const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await ask()).status));
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  const other = route({
    name: "other",
    hostnames: ["b.example"],
    rules: [{ filters: [bySettings()], backendRefs }],
  });
  await apply({ "limit-rps": 1, "limit-burst-multiplier": 1 }, web(), other);
  await Promise.all(Array.from({ length: 10 }, () => ask()));
  const beside = await request({ to, host: "b.example", path: "/" });
  expect(beside.status, "another route has counts of its own").toBe(200);
  await apply({ "auth-tls-secret": "ns/ca" });
  expect((await ask()).status).toBe(503);
});

test("upstream-vhost sets the Host, and backend-protocol the protocol of the backend", async () => {
  await apply({ "upstream-vhost": "inside.example", "proxy-http-version": "1.0" });
  expect((await echoed("/")).headers.host).toBe("inside.example");
  await apply({ "backend-protocol": "HTTPS" });
  expect((await ask()).status, "plain HTTP stands behind the port").toBe(502);
});

test("a snippet that nginx refuses is set aside alone", async () => {
  const bad = routeSettings({ name: "bad", values: { "configuration-snippet": "proxy_buffers 4;" } });
  const other = route({
    name: "other",
    hostnames: ["b.example"],
    rules: [{ filters: [bySettings("bad")], backendRefs }],
  });
  await apply({ "proxy-read-timeout": 7 }, bad, other, web());
  expect((await ask()).status).toBe(200);
  expect((await request({ to, host: "b.example", path: "/" })).status).toBe(503);
  expect(stand.problemsOf("bad").join()).toContain("nginx refused it");
  expect(stand.problemsOf("other")).toEqual([]);
});
