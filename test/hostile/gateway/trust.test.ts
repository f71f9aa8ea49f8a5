/**
 * A tenant's BackendTLSPolicies that differ in the hostname alone. nginx loads the authorities of
 * each again at every test and reload, so a namespace may have only some of them.
 */
import { expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { backendTLSPolicy, gateway, gatewayClass, route, serviceIn } from "../../support/gateways.ts";
import type { Directive } from "../../support/nginx-tree.ts";
import { settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.70"] });
const numbers = Array.from({ length: 12 }, (_, at) => at);
const system = { wellKnownCACertificates: "System", caCertificateRefs: [] };
const policies = numbers.map((at) =>
  backendTLSPolicy({
    ...{ name: `p${at}`, age: 60 - at, service: `s${at}` },
    validation: { ...system, hostname: `h${at}.example` },
  }),
);
const routes = route({
  rules: numbers.map((at) => ({
    matches: [{ path: { type: "PathPrefix", value: `/${at}` } }],
    backendRefs: [{ name: `s${at}`, port: 80 }],
  })),
});

/** Returns how many locations load authorities. */
const loading = (tree: readonly Directive[]): number =>
  tree.reduce(
    (sum, { name, block = [] }) => sum + Number(name === "proxy_ssl_trusted_certificate") + loading(block),
    0,
  );

const ask = (at: number) => request({ to: "192.0.2.70:80", host: "a.example", path: `/${at}` });

test("the key authorities-per-namespace limits what nginx loads, and the other targets get 500", async () => {
  const services = numbers.map((at) => serviceIn("ns", `s${at}`, { name: "http" }));
  const limit = (most: string) => settings({ "authorities-per-namespace": most });
  await world.apply(gatewayClass(), gateway({}), ...services, ...policies, routes, limit("1m"));
  expect(loading(world.tree())).toBe(2);
  expect(world.problemsOf("p2")).toEqual([
    expect.stringContaining("authorities-per-namespace permits (1m); requests to its targets get 500"),
  ]);
  expect((await ask(2)).status).toBe(500);
  expect((await ask(1)).status, "a Service without endpoints").toBe(503);
  expect((await world.ask("neighbour.example")).body).toBe("secret");
  await world.apply(limit("2m"));
  expect(loading(world.tree())).toBe(4);
  expect((await ask(2)).status).toBe(503);
});
