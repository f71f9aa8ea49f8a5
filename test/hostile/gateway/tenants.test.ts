/**
 * Tests the shared Gateway, whose routes are beside the Ingresses of all tenants. An older Ingress
 * is in `ns`, and its backend answers `secret`. The attacker writes routes, settings, listeners and
 * Services in `evil`, and the Service there answers `let in`.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { request } from "../../nginx/support/request.ts";
import {
  bySettings,
  gateway,
  gatewayClass,
  grpcRoute,
  listener,
  listenerSet,
  namespace,
  type RouteSketch,
  route,
  routeSettings,
} from "../../support/gateways.ts";
import { ingress, secret, service } from "../support/objects.ts";
import { ports, worldOf } from "../support/world.ts";
import { pki } from "../tenants/authority.ts";

const world = worldOf({ mode: "dynamic", flags: ["--shared-gateway=ns/gw", "--gateway-addresses=192.0.2.72"] });
const all = { namespaces: { from: "All" } } as const;
const listeners = [listener({ allowedRoutes: all })];
const web = { name: "web", port: 80 };

/** Returns a route that is younger than the Ingress. */
const evil = (words: RouteSketch, annotations: Readonly<Record<string, string>> = {}): KubernetesObject => {
  const one = route({ name: "evil", namespace: "evil", age: -1e8, hostnames: ["shop.example"], ...words });
  return { ...one, metadata: { ...one.metadata, annotations } };
};
const shop = ingress({ name: "shop", paths: [["/"], ["/exact", "Exact"]] });
const to = (matches: readonly object[]) => [{ matches, backendRefs: [web] }];

beforeEach(() =>
  world.apply(
    ...[gatewayClass(), namespace("ns"), namespace("evil"), shop],
    ...service("web", world.auth.address, world.auth.port, "evil"),
    gateway({ listeners, spec: { allowedListeners: all } as never }),
  ),
);

const ask = async (path = "/", more: { method?: string; headers?: Record<string, string> } = {}) => {
  const { status, body } = await world.ask("shop.example", path, more);
  return status === 200 ? body : String(status);
};

describe("a path of an older Ingress", () => {
  test.each([
    ["the same path", to([{ path: { value: "/" } }]), {}],
    ["a weight", to([{ path: { value: "/" } }]), { "sluice.dev/weight": "100" }],
    ["a shadow", to([{ path: { value: "/" } }]), { "sluice.dev/shadow": "false" }],
    ["both", to([{ path: { value: "/" } }]), { "sluice.dev/shadow": "no", "sluice.dev/weight": "100" }],
    ["a method", to([{ path: { value: "/" }, method: "GET" }]), {}],
    ["a header", to([{ path: { value: "/" }, headers: [{ name: "Host", value: "shop.example" }] }]), {}],
    [
      "a pattern for a header",
      to([{ path: { value: "/" }, headers: [{ type: "RegularExpression", name: "host", value: ".*" }] }]),
      { "sluice.dev/weight": "100" },
    ],
    ["the exact path with a method", to([{ path: { type: "Exact", value: "/exact" }, method: "GET" }]), {}],
    ["a pattern", to([{ path: { type: "RegularExpression", value: "/.*" } }]), {}],
    [
      "a pattern with a weight",
      to([{ path: { type: "RegularExpression", value: "/.*" } }]),
      { "sluice.dev/weight": "100" },
    ],
  ] as const)("is not replaced by %s", async (_, rules, annotations) => {
    await world.apply(evil({ rules }, annotations));
    for (const path of ["/", "/x", "/exact"]) expect.soft([path, await ask(path)]).toEqual([path, "secret"]);
  });

  test("is replaced by a route of the Ingress's own namespace, whatever conditions others add", async () => {
    const own = route({ name: "own", hostnames: ["shop.example"], rules: to([{ path: { value: "/own" } }]) });
    const shopOwn = ingress({ name: "shop", paths: [["/own", "Prefix", "none"]] });
    await world.apply(shopOwn, own, evil({ rules: to([{ path: { value: "/own" }, method: "GET" }]) }));
    expect(await ask("/own/x")).toBe("secret");
    await world.remove(own);
    expect(await ask("/own/x")).toBe("503");
  });

  test("is not replaced by gRPC calls, capital letters, or a route without hosts or with a wildcard", async () => {
    await world.apply(
      evil({ name: "evil-1", hostnames: ["SHOP.example"] }),
      evil({ name: "evil-2", hostnames: ["*.example"] }, { "sluice.dev/weight": "100" }),
      evil({ name: "evil-3", hostnames: undefined as never }, { "sluice.dev/weight": "100" }),
      grpcRoute({ namespace: "evil", age: -1e8, hostnames: ["shop.example"] }),
    );
    const call = { "content-type": "application/grpc" };
    for (const path of ["/", "/x", "/exact", "/pkg.Service/Call"]) {
      expect.soft([path, await ask(path)]).toEqual([path, "secret"]);
      expect.soft([path, await ask(path, { method: "POST", headers: call })]).toEqual([path, "secret"]);
    }
  });
});

test("settings of another namespace apply to no route, listener or Gateway through targetRefs", async () => {
  const values = { "permanent-redirect": "https://evil.example/", "denylist-source-range": "0.0.0.0/0" };
  const settings = routeSettings({
    values,
    to: [
      ["Gateway", "gw"],
      ["HTTPRoute", "victim"],
      ["ListenerSet", "set"],
    ],
  });
  const theirs = { ...settings, metadata: { ...settings.metadata, namespace: "evil" } };
  await world.apply(theirs, route({ name: "victim", hostnames: ["victim.example"] }));
  expect((await world.ask("victim.example")).body).toBe("secret");
  // A filter cannot name settings of another namespace either, because it has no field for one.
  const named = {
    ...bySettings("settings"),
    extensionRef: { group: "sluice.dev", kind: "RouteSettings", name: "settings", namespace: "evil" },
  };
  await world.apply(
    theirs,
    route({ name: "victim", hostnames: ["victim.example"], rules: [{ filters: [named], backendRefs: [web] }] }),
  );
  expect((await world.ask("victim.example")).status).toBe(500);
});

test("a Service, a copy or an auth service of another namespace gets no request without a grant", async () => {
  const other = { ...web, namespace: "ns" };
  const rules = [
    { backendRefs: [other] },
    { backendRefs: [web], filters: [{ type: "RequestMirror", requestMirror: { backendRef: other } }] },
    { backendRefs: [web], filters: [{ type: "ExternalAuth", externalAuth: { protocol: "HTTP", backendRef: other } }] },
    { backendRefs: [web], filters: [{ type: "ExternalAuth", externalAuth: { protocol: "GRPC", backendRef: other } }] },
  ];
  for (const rule of rules) {
    await world.apply(evil({ hostnames: ["evil.example"], rules: [rule] }));
    world.backend.forget();
    // A mirror that cannot be used gets no copies, as the Gateway API requires.
    const status = "filters" in rule && rule.filters[0]?.type === "RequestMirror" ? 200 : 500;
    expect.soft([rule, (await world.ask("evil.example")).status]).toEqual([rule, status]);
    expect.soft(world.backend.asked).toEqual([]);
  }
});

test("no auth service, copy or backend is this machine, a link-local address or a port of Sluice's own", async () => {
  const leads = [
    ...["127.0.0.1", "169.254.169.254"].map((address) => [address, 80] as const),
    ...[ports.status, 10_254].map((port) => ["192.0.2.1", port] as const),
  ];
  for (const [address, port] of leads) {
    await world.apply(...service("bad", address, port, "evil"));
    const bad = { name: "bad", port: 80 };
    for (const protocol of ["HTTP", "GRPC"]) {
      const filters = [{ type: "ExternalAuth", externalAuth: { protocol, backendRef: bad } }];
      await world.apply(evil({ hostnames: ["evil.example"], rules: [{ backendRefs: [web], filters }] }));
      const { status, body } = await world.ask("evil.example");
      expect.soft([address, port, protocol, body, status >= 500]).toEqual([address, port, protocol, body, true]);
      expect.soft(body).not.toBe("let in");
    }
    await world.apply(evil({ hostnames: ["evil.example"], rules: [{ backendRefs: [bad] }] }));
    expect.soft([address, port, (await world.ask("evil.example", "/healthz")).status]).toEqual([address, port, 503]);
  }
});

test("a ListenerSet of another namespace changes no certificate and no path of an older host", async () => {
  const tls = { mode: "Terminate", certificateRefs: [{ group: "", kind: "Secret", name: "pair" }] } as const;
  const pair = (home: string) =>
    secret("pair", { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key }, home) as KubernetesObject;
  const own = listener({ name: "own", hostname: "shop.example", allowedRoutes: all });
  await world.apply(
    pair("evil"),
    listenerSet({
      namespace: "evil",
      age: -1e8,
      listeners: [own, { ...own, name: "tls", port: 443, protocol: "HTTPS", tls } as never],
    }),
    evil({ parent: { kind: "ListenerSet", name: "set", namespace: "evil" } }, { "sluice.dev/weight": "100" }),
  );
  expect(await ask()).toBe("secret");
  expect(await ask("/exact")).toBe("secret");
  const { body } = await request({
    to: `192.0.2.1:${ports.https}`,
    host: "shop.example",
    path: "/",
    sni: "shop.example",
  });
  expect(body).toBe("secret");
});
