/**
 * What tenants share in a worker: the places of copies. A flood of one tenant leaves places for all
 * others.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { until } from "../../nginx/support/until.ts";
import { gateway, gatewayClass, listener, namespace, route } from "../../support/gateways.ts";
import { service, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const address = "192.0.2.75";
const own = "192.0.2.65";
const world = worldOf({ mode: "dynamic", flags: [`--gateway-addresses=${address}`] });

/** A backend that takes copies and never answers. */
const waiting = new Set<Socket>();
const silent = createServer((socket) => void waiting.add(socket.on("error", () => {})));
beforeAll(async () => {
  silent.listen(0, own);
  await once(silent, "listening");
});
afterAll(() => {
  silent.close();
  for (const socket of waiting) socket.destroy();
});

test("a mirror that never answers leaves places for the copies of other tenants", async () => {
  const mirror = (name: string) => ({ type: "RequestMirror", requestMirror: { backendRef: { name, port: 80 } } });
  const rules = (name: string, copies: number) => [
    { backendRefs: [{ name: "web", port: 80 }], filters: Array(copies).fill(mirror(name)) },
  ];
  const all = { namespaces: { from: "All" } } as const;
  await world.apply(
    ...[gatewayClass(), namespace("ns"), namespace("evil"), settings({ "worker-processes": "1" })],
    gateway({ listeners: [listener({ allowedRoutes: all })] }),
    ...service("silent", own, (silent.address() as AddressInfo).port, "evil"),
    ...service("web", world.backend.address, world.backend.port, "evil"),
    ...service("copies", world.auth.address, world.auth.port),
    route({ name: "evil", namespace: "evil", hostnames: ["evil.example"], rules: rules("silent", 10) }),
    route({ name: "victim", hostnames: ["victim.example"], rules: rules("copies", 1) }),
  );
  for (let at = 0; at < 40; at++) await request({ to: `${address}:80`, host: "evil.example" });
  // The half of the 200 places.
  await until("the places that one namespace gets", () => waiting.size === 100);
  for (let at = 0; at < 50; at++) await request({ to: `${address}:80`, host: "victim.example" });
  await until("the copies of the other tenant", () => world.auth.asked.length === 50);
  expect(waiting.size).toBe(100);
});
