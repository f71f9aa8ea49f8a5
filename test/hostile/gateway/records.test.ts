/**
 * A tenant's route whose hostnames, listeners, matches and filters multiply: it is refused, and
 * others go on, also while it changes.
 */
import { expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import {
  gateway,
  gatewayClass,
  grpcRoute,
  listener,
  listenerSet,
  route,
  routeSettings,
} from "../../support/gateways.ts";
import { service, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.70"] });
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const allowedListeners = { namespaces: { from: "All" as const } };
const set = listenerSet({
  namespace: "tenant",
  listeners: numbers(16).map((at) => listener({ name: `l${at}`, port: 9_000 + at })),
});

/** A route of about so many KB. */
const wide = (kilobytes: number, hosts = 16) =>
  route({
    ...{ name: "wide", namespace: "tenant", parent: { kind: "ListenerSet", name: "set", namespace: "tenant" } },
    hostnames: numbers(hosts).map((at) => `h${at}.example`),
    rules: numbers(2).map((rule) => ({
      matches: numbers(64).map((at) => ({ path: { type: "PathPrefix", value: `/${rule}/${at}` } })),
      filters: [
        {
          type: "RequestHeaderModifier",
          requestHeaderModifier: { set: [{ name: "x-long", value: "v".repeat(kilobytes * 512) }] },
        },
      ],
      backendRefs: [{ name: "web", port: 80 }],
    })),
  });

const ask = (host: string, path: string) => request({ to: "192.0.2.70:9000", host, path });

test("a neighbour's new endpoints are live although a route asks for gigabytes of records", async () => {
  const { address, port } = world.backend;
  await world.apply(
    ...[gatewayClass(), gateway({ spec: { allowedListeners } }), set, ...service("web", address, port, "tenant")],
  );
  await world.apply(wide(61));
  expect(world.problemsOf("wide")).toEqual([
    expect.stringMatching(
      /^spec: 128 matches on 256 hosts, .* need \d+m of records; .*; the route is not attached, and other routes of the namespace answer 503 on its hosts$/,
    ),
  ]);
  expect((await ask("h0.example", "/0/0")).status).toBe(404);
  await world.apply(wide(969), ...service("web", address, port));
  expect((await world.ask("neighbour.example")).body).toBe("secret");
  await world.apply(wide(0, 1));
  expect(world.problemsOf("wide")).toEqual([]);
  expect((await ask("h0.example", "/0/0")).body).toBe("secret");
});

test("the operator's key route-records-per-namespace permits more or less", async () => {
  const { address, port } = world.backend;
  await world.apply(
    ...[gatewayClass(), gateway({ spec: { allowedListeners } }), set, ...service("web", address, port, "tenant")],
    ...[wide(0, 1), settings({ "route-records-per-namespace": "64k" })],
  );
  expect((await ask("h0.example", "/0/0")).status).toBe(404);
  await world.apply(settings({ "route-records-per-namespace": "64m" }));
  expect((await ask("h0.example", "/0/0")).body).toBe("secret");
});

/**
 * A guarded route with many paths, which is refused, beside routes of the same namespace for `/`.
 */
test.each([
  ["the same host", ["h0.example"]],
  ["a wildcard that includes the host", ["*.example"]],
  ["all hosts of the listener", undefined],
])("a refused route opens none of its paths through a route on %s", async (_what, hostnames) => {
  const { address, port } = world.backend;
  const parent = { kind: "ListenerSet", name: "set", namespace: "tenant" };
  const open = route({
    ...{ name: "open", namespace: "tenant", parent },
    ...(hostnames === undefined ? {} : { hostnames }),
    rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
  });
  await world.apply(
    ...[gatewayClass(), gateway({ spec: { allowedListeners } }), set, ...service("web", address, port, "tenant")],
    open,
    routeSettings({
      to: [["HTTPRoute", "wide"]],
      namespace: "tenant",
      values: { "denylist-source-range": "0.0.0.0/0" },
    }),
    wide(0, 1),
  );
  expect((await ask("h0.example", "/0/0")).status).toBe(403);
  expect((await ask("h0.example", "/other")).body).toBe("secret");
  await world.apply(wide(61));
  expect((await ask("h0.example", "/0/0")).status).toBe(503);
  expect((await ask("h0.example", "/1/63")).status).toBe(503);
  expect(world.problemsOf("open")).toEqual([
    expect.stringMatching(/^spec.hostnames: .* another route of namespace tenant, .*; its paths there answer 503$/),
  ]);
  await world.apply(wide(0, 1));
  expect(world.problemsOf("open")).toEqual([]);
  expect((await ask("h0.example", "/0/0")).status).toBe(403);
  expect((await ask("h0.example", "/other")).body).toBe("secret");
});

test("a refused GRPCRoute opens none of its paths through an HTTPRoute, and closes no other host", async () => {
  const { address, port } = world.backend;
  const parent = { kind: "ListenerSet", name: "set", namespace: "tenant" };
  const hostnames = numbers(16).map((at) => `h${at}.example`);
  const filter = { type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["v".repeat(60_000)] } };
  const backendRefs = [{ name: "web", port: 80 }];
  await world.apply(
    ...[gatewayClass(), gateway({ spec: { allowedListeners } }), set, ...service("web", address, port, "tenant")],
    grpcRoute({
      ...{ name: "wide", namespace: "tenant", parent, hostnames },
      rules: [{ matches: [{ method: { service: "shop.Admin" } }], filters: [filter], backendRefs }],
    }),
    route({
      name: "open",
      namespace: "tenant",
      parent,
      hostnames: ["h0.example", "own.example"],
      rules: [{ backendRefs }],
    }),
  );
  expect(world.problemsOf("wide")[0]).toMatch(/route-records-per-namespace permits/);
  expect((await ask("h0.example", "/shop.Admin/Stop")).status).toBe(503);
  expect((await ask("own.example", "/")).body).toBe("secret");
});

test("a refused route of one tenant closes no route of another", async () => {
  const { address, port } = world.backend;
  const allowedRoutes = { namespaces: { from: "All" as const } };
  const { spec, ...others } = wide(61);
  const refused = { ...others, spec: { ...spec, parentRefs: [{ name: "gw", namespace: "ns" }] } };
  await world.apply(
    ...[gatewayClass(), gateway({ listeners: [listener({ port: 9_000, allowedRoutes })] })],
    ...service("web", address, port, "tenant"),
    settings({ "route-records-per-namespace": "64k" }),
    route({ name: "open", hostnames: ["h0.example"], rules: [{ backendRefs: [{ name: "web", port: 80 }] }] }),
    refused,
  );
  expect(world.problemsOf("wide")[0]).toMatch(/permits \(64k\)/);
  expect((await ask("h0.example", "/0/0")).body).toBe("secret");
});
