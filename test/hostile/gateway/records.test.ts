/**
 * A tenant's route whose hostnames, listeners, matches and filters multiply: it is refused, and
 * others go on, also while it changes.
 */
import { expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { gateway, gatewayClass, listener, listenerSet, route } from "../../support/gateways.ts";
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
    expect.stringMatching(/^spec: 128 matches on 256 hosts, .* need \d+m of records; .*; the route is not attached$/),
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
