/** `app-root` is a key for a whole host: listeners take it, and routes do not. */
import { expect, test } from "vitest";
import {
  bySettings,
  gateway,
  gatewayClass,
  namespace,
  pooled,
  route,
  routeSettings,
  serviceIn,
} from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { named, sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const world = put(emptySnapshot, gatewayClass(), namespace("ns"), serviceIn("ns", "web"), gateway({}));
const backendRefs = [{ name: "web", port: 80 }];
const values = { "app-root": "/start" };
const at = (value: string, type = "PathPrefix") => ({ matches: [{ path: { type, value } }], backendRefs });

function outcome(...objects: readonly KubernetesObject[]) {
  const inputs = { ...emptyInputs, snapshot: put(world, ...objects) };
  const { configuration, problems } = translate(inputs, pooled, fake);
  const { routes = [], locations = [] } = configuration.servers.get("ns/gw/http a.example") ?? {};
  const hosts = { "a.example": locations, "b.example": configuration.servers.get("ns/gw/http b.example")?.locations };
  return {
    ways: routes.map(({ match, path, location }) => {
      const { elsewhere } = locations[location]!.features.redirects;
      return `${match} ${path} ${elsewhere === undefined ? "backend" : `${elsewhere.code} ${elsewhere.url}`}`;
    }),
    redirecting: Object.entries(hosts).flatMap(([host, some = []]) =>
      some.some(({ features }) => features.redirects.elsewhere !== undefined) ? [host] : [],
    ),
    sentences: [...problems.values()].flat().map((one) => `${named(one.object)}: ${sentence(one)}`),
  };
}

test.each([
  ["a listener", [["Gateway", "gw", "http"]]],
  ["a Gateway", [["Gateway", "gw"]]],
] as const)("app-root of %s redirects the path / of each host that has routes, before any rule", (_, to) => {
  const routes = [
    route({ name: "a", hostnames: ["a.example"], rules: [at("/api"), at("/")] }),
    route({ name: "b", hostnames: ["b.example"], rules: [at("/api")] }),
  ];
  const found = outcome(routeSettings({ values, to }), ...routes);
  expect(found.ways).toEqual([
    "exact / 302 $scheme://$best_http_host/start",
    "exact /api backend",
    "prefix /api/ backend",
    "prefix / backend",
  ]);
  expect(found.redirecting).toEqual(["a.example", "b.example"]);
  expect(found.sentences).toEqual([]);
});

test("a rule for the exact path / gets no requests, and a message tells its author", () => {
  const web = route({ name: "a", hostnames: ["a.example"], rules: [at("/", "Exact"), at("/api")] });
  const found = outcome(routeSettings({ values, to: [["Gateway", "gw", "http"]] }), web);
  expect(found.ways).toEqual([
    "exact / 302 $scheme://$best_http_host/start",
    "exact /api backend",
    "prefix /api/ backend",
  ]);
  expect(found.sentences).toEqual([
    "HTTPRoute ns/a: spec.rules[0].matches[0]: RouteSettings of the listener redirect the path / (app-root); this match takes no request",
  ]);
});

test.each<[string, Parameters<typeof routeSettings>[0]["to"], object]>([
  ["a route", [["HTTPRoute", "a"]], {}],
  ["a rule", undefined, { filters: [bySettings()] }],
])("app-root of %s is a Problem and has no effect", (_, to, rule) => {
  const web = route({ name: "a", hostnames: ["a.example"], rules: [{ ...at("/"), ...rule }] });
  const found = outcome(routeSettings({ values: { ...values, "proxy-read-timeout": 7 }, ...(to && { to }) }), web);
  expect(found.ways).toEqual(["prefix / backend"]);
  expect(found.sentences).toEqual([
    "RouteSettings ns/settings: spec.app-root: is not served for routes: a rule for the exact path / with the filter RequestRedirect does the same; it is ignored",
  ]);
});

test("settings that name a listener and a route apply to the listener alone", () => {
  const web = route({ name: "a", hostnames: ["a.example"], rules: [at("/")] });
  const to = [["HTTPRoute", "a"] as const, ["Gateway", "gw", "http"] as const];
  expect(outcome(routeSettings({ values, to }), web).ways).toEqual([
    "exact / 302 $scheme://$best_http_host/start",
    "prefix / backend",
  ]);
});
