/**
 * The client's spelling of a path behind a rewrite: backends, auth services and copies get `%2F`
 * and `//` as they were sent, unless the rest holds `..` in any spelling. nginx and the matcher
 * agree about the backend's path.
 */
import { expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { bySettings, gateway, gatewayClass, namespace, route, routeSettings } from "../support/gateways.ts";
import { host, port, prefix, startGateways } from "./support/gateways.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";
import { startWorlds } from "./support/worlds.ts";

const rewriteTo = (replacePrefixMatch: string) => ({
  type: "URLRewrite",
  urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch } },
});
const rule = (type: string, value: string, ...filters: readonly object[]) => ({
  matches: [{ path: { type, value } }],
  filters,
  backendRefs: [{ name: "a", port: 80 }],
});

const world: readonly KubernetesObject[] = [
  gatewayClass(),
  namespace("ns"),
  gateway({}),
  routeSettings({ values: { "rewrite-target": "/new/$2" } }),
  route({
    hostnames: ["a.test"],
    rules: [
      rule("PathPrefix", "/rw", rewriteTo("/")),
      rule("PathPrefix", "/deep/er", rewriteTo("/new here")),
      rule("RegularExpression", "/by(/|$)(.*)", bySettings()),
      rule("PathPrefix", "/full", {
        type: "URLRewrite",
        urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: "/one/two" } },
      }),
      rule("PathPrefix", "/stays"),
    ],
  }),
];

const paths: readonly (readonly [sent: string, got: string])[] = [
  ["/rw/group%2Fproject", "/group%2Fproject"],
  ["/rw/group%2fproject?q=a%2Fb//c", "/group%2fproject?q=a%2Fb//c"],
  ["/rw/a//b///", "/a//b///"],
  ["/rw/https://c.example/x", "/https://c.example/x"],
  ["/rw/./a", "/./a"],
  ["/rw/plain/a%20b", "/plain/a%20b"],
  ["/rw/%41%2D", "/%41%2D"],
  ["/rw/%E2%82%AC%2F%e2%82%ac", "/%E2%82%AC%2F%e2%82%ac"],
  ["/%72%77/x%2Fy", "/x%2Fy"],
  ["//rw//x%2Fy", "/x%2Fy"],
  ["/rw%2Fx%2Fy", "/x%2Fy"],
  ["/deep/er/x%2Fy", "/new%20here/x%2Fy"],
  ["/deep//er/x%2Fy", "/new%20here/x%2Fy"],
  ["/deep%2Fer%2Fx%2Fy", "/new%20here/x%2Fy"],
  ["/deep/er", "/new%20here"],
  ["/by/group%2Fproject//x?q", "/new/group%2Fproject//x?q"],
  ["/by", "/new/"],
  ["/full/x%2Fy?q", "/one/two?q"],
  ["/stays/x%2Fy//z", "/stays/x%2Fy//z"],
];

/** What the rest spells must not decide where a backend looks. */
const attacks: readonly (readonly [sent: string, got: string])[] = [
  ["/rw/a/..%2Fb%2Fc", "/b/c"],
  ["/rw/a/%2e%2e/b%2Fc", "/b/c"],
  ["/rw/a/.%2e/b%2Fc", "/b/c"],
  ["/rw/a%2F..%2Fb%2Fc", "/b/c"],
  ["/rw/a/..;/b%2Fc", "/a/..;/b/c"],
  ["/rw/a/%2e%2e;x/b%2Fc", "/a/..;x/b/c"],
  ["/rw/a%2Fb..", "/a/b.."],
  ["/rw/%252e%252e%2Fb", "/%252e%252e/b"],
  ["/rw//evil.example/%2F", "/evil.example/%2F"],
  ["/rw%2F%2Fevil.example", "/%2Fevil.example"],
  ["/by/a%2F..%2Fb%2Fc", "/new/b/c"],
  ["/by/%252e%252e%2Fb", "/new/%252e%252e/b"],
  ["/x/../rw/a%2Fb", "/a/b"],
  ["/rw/a%2Fb%0d%0aX:%201", "/a%2Fb%0d%0aX:%201"],
];

test("a backend gets what a rewrite leaves of a path as the client wrote it, unless that holds `..`", async () => {
  const it = await startWorlds(18_992);
  await it.serve({ objects: world, services: ["ns/a"] });
  const found: unknown[] = [];
  for (const [target] of [...paths, ...attacks]) {
    const question = { scheme: "http", host: "a.test", target, method: "GET", headers: {} } as const;
    const { text } = await it.ask(question);
    found.push([target, text, it.decide(question).answers.join()]);
  }
  const wanted = [...paths, ...attacks].map(([target, got]) => {
    const answer = `ns/a ${got.replace(/\?.*/, "")}`;
    return [target, answer, answer];
  });
  expect(found).toEqual(wanted);
});

test("an auth service is asked about the client's path, and a copy has the same text as the backend's request", async () => {
  const it = await startGateways(18_996);
  const to = "127.0.0.63:18999";
  const rewrite = { hostname: undefined, path: { type: "prefix", prefix: "/rw", path: "/new" } } as const;
  const auth = { upstream: "b3", path: "/asked", requestHeaders: [], responseHeaders: [], mostBody: 0 };
  const filters = { rewrite, mirrors: [{ upstream: "b2", share: 1 }], auth };
  await it.put({
    ports: [port("a", "127.0.0.63", 18_999, { web: "" })],
    hosts: [host("shop/a/web", "_", [{ to: [{ upstream: "b1" }], routes: prefix("/rw"), filters }])],
  });
  for (const [path, got] of [
    ["/rw/a%2Fb//c?d=%2F", "/new/a%2Fb//c?d=%2F"],
    ["/rw/a%2F..%2Fb%2Fc", "/new/b/c"],
  ]) {
    expect((await request({ to, host: "a.example", path: path! })).status).toBe(200);
    const seen = new Map<number, string>();
    await until("the copy arrives", async () => {
      for (const { backend, url } of it.seen()) seen.set(backend, url);
      return seen.size === 3;
    });
    expect(Object.fromEntries(seen)).toEqual({ 1: got, 2: got, 3: `/asked${path}` });
  }
});
