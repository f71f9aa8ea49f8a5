/** `from-to-www-redirect` is a key for listeners, and takes no name from another object. */
import { expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  listener,
  namespace,
  pooled,
  route,
  routeSettings,
  serviceIn,
} from "../../../../../test/support/gateways.ts";
import { configMap, fake, put } from "../../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { named, sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const world = put(
  emptySnapshot,
  ...[gatewayClass(), namespace("ns"), namespace("other"), serviceIn("ns", "web"), serviceIn("other", "web")],
);
const values = { "from-to-www-redirect": "true" };
const settings = routeSettings({ values, to: [["Gateway", "gw", "http"]] });
const all = { allowedRoutes: { namespaces: { from: "All" } } } as const;

function outcome(options: typeof pooled, ...objects: readonly KubernetesObject[]) {
  const inputs = { ...emptyInputs, snapshot: put(world, ...objects) };
  const { configuration, problems } = translate(inputs, options, fake);
  const servers = [...configuration.servers.values()].filter((one) => one.listener !== undefined);
  return {
    hosts: Object.fromEntries(
      servers.map(({ name, locations, routes }) => {
        const targets = locations.map(({ owner, filters }) => filters?.redirect?.hostname ?? owner?.namespace);
        return [name, `${targets.join()} ${routes.map(({ path }) => path).join()}`];
      }),
    ),
    sentences: [...problems.values()].flat().map((one) => `${named(one.object)}: ${sentence(one)}`),
  };
}

test.each([
  ["no hostname", undefined],
  ["a wildcard", "*.example"],
])("a listener with %s redirects the other names of its hosts", (_, hostname) => {
  const listeners = [listener({ ...all, ...(hostname === undefined ? {} : { hostname }) })];
  const routes = [
    route({ hostnames: ["a.example", "www.b.example", "*.c.example"] }),
    route({ name: "whole" }),
    route({ name: "same", hostnames: ["a.example"] }),
  ];
  const found = outcome(pooled, gateway({ listeners }), settings, ...routes);
  expect(found.hosts).toEqual({
    _: "ns /",
    "*.c.example": "ns /",
    "a.example": "ns,ns /,/",
    "www.a.example": "a.example /",
    "www.b.example": "ns /",
    "b.example": "www.b.example /",
  });
  expect(found.sentences.filter((one) => one.includes("www"))).toEqual([]);
});

test("a route for the other name keeps it, whatever its namespace and age", () => {
  const theirs = route({ name: "theirs", namespace: "other", age: -100, hostnames: ["www.a.example"] });
  const listeners = [listener(all)];
  const found = outcome(pooled, gateway({ listeners }), settings, route({ hostnames: ["a.example"] }), theirs);
  expect(found.hosts).toEqual({ "a.example": "ns /", "www.a.example": "other /" });
});

test("a host that the host policy gives to others is not redirected", () => {
  const owners = configMap("ns/owners", { other: "www.a.example" });
  const options = { ...pooled, hostPolicy: "ns/owners" };
  const found = outcome(
    options,
    owners,
    gateway({ listeners: [listener(all)] }),
    settings,
    route({ hostnames: ["a.example"] }),
  );
  expect(found.hosts).toEqual({ "a.example": "ns /" });
});

test.each([
  ["a listener of one name", pooled, "a.example", "no request for www.a.example comes to it"],
  [
    "a port of Ingresses",
    { ...pooled, gateway: { ...pooled.gateway, shared: "ns/gw" } },
    undefined,
    "its port has the hosts of Ingresses",
  ],
] as const)("%s redirects no other name, and a Problem says so", (_, options, hostname, why) => {
  const listeners = [listener(hostname === undefined ? {} : { hostname })];
  const found = outcome(options, gateway({ listeners }), settings, route({ hostnames: ["a.example"] }));
  expect(found.hosts).toEqual({ "a.example": "ns /" });
  expect(found.sentences).toEqual([
    `RouteSettings ns/settings: spec.from-to-www-redirect: has no effect on listener http: ${why}; it is ignored there`,
  ]);
});

test("from-to-www-redirect on a route is a Problem and has no effect", () => {
  const own = routeSettings({ values, to: [["HTTPRoute", "route"]] });
  const found = outcome(pooled, gateway({}), own, route({ hostnames: ["a.example"] }));
  expect(found.hosts).toEqual({ "a.example": "ns /" });
  expect(found.sentences.join()).toContain("spec.from-to-www-redirect: is not served for routes");
});
