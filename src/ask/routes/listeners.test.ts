import { expect, test } from "vitest";
import { gateway, gatewayClass, listener, pooled, route, serviceIn } from "../../../test/support/gateways.ts";
import { fake, put } from "../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import { emptySnapshot } from "../../core/model/snapshot.ts";
import { Translator } from "../../core/table/translator.ts";
import { emptyInputs } from "../../core/table/turn.ts";
import { Failures } from "../../edges/failures.ts";
import { routeRequests } from "../../move/replay/probes.ts";
import { changesBetween } from "../../tools/route-lines.ts";
import { RouteRows } from "../page/views/route-rows.ts";
import { routesOf } from "./routes.ts";

const listeners = [
  listener({ name: "one", hostname: "one.example" }),
  listener({ name: "wild", hostname: "*.wild.example" }),
  listener({ name: "all", port: 81 }),
];
const world = put(emptySnapshot, gatewayClass(), serviceIn("ns", "web"), gateway({ listeners }), route({}));
const translator = () => new Translator(pooled, fake);
const turnOf = (of: Translator, ...objects: KubernetesObject[]) => {
  const snapshot = put(world, ...objects);
  return { snapshot, served: of.turn({ ...emptyInputs, snapshot }).configuration };
};

test("a route without hostnames has the hostname of each listener", () => {
  const { served, snapshot } = turnOf(translator());
  const placesOf = (host?: string) =>
    routesOf(served, snapshot, host)
      .filter(({ route: of }) => of !== undefined)
      .map(({ host: shown, path, route: of }) => `${shown}${path} at ${of?.listener}`);
  expect(placesOf()).toEqual(["*/ at ns/gw/all", "*.wild.example/ at ns/gw/wild", "one.example/ at ns/gw/one"]);
  expect(placesOf("one.example")).toEqual(["*/ at ns/gw/all", "one.example/ at ns/gw/one"]);
  expect(placesOf("a.b.wild.example")).toEqual(["*/ at ns/gw/all", "*.wild.example/ at ns/gw/wild"]);
  expect(new Set(routeRequests(served).requests.map(({ host }) => host))).toEqual(
    new Set(["host.probe.invalid", "one.example", "probe.wild.example", "deep.probe.wild.example"]),
  );
});

test("diff and the page have that hostname too, and the page counts by the host for all names", () => {
  const of = translator();
  const before = turnOf(of).served;
  const rows = new RouteRows(new Failures(() => 0));
  const hosts = (all: Iterable<{ readonly host: string; readonly countedHost: string }>) =>
    [...all].map(({ host, countedHost }) => `${host} ${countedHost}`).sort();
  const first = rows.renew(before, world).fresh;
  expect(hosts(first)).toEqual(["* *", "* _", "*.wild.example _", "one.example _"]);
  const moved = [listener({ name: "one", hostname: "two.example" }), ...listeners.slice(1)];
  const { served: after, snapshot } = turnOf(of, gateway({ listeners: moved }));
  const { gone, fresh } = rows.renew(after, snapshot);
  expect([hosts(gone), hosts(fresh)].map((all) => all.filter((one) => !one.startsWith("*")))).toEqual([
    ["one.example _"],
    ["two.example _"],
  ]);
  const api = route({ name: "api", rules: [{ matches: [{ path: { value: "/api" } }], backendRefs: [] }] });
  const added = changesBetween(after, turnOf(of, gateway({ listeners: moved }), api).served);
  expect(added.map(({ name }) => name)).toEqual([
    "*.wild.example/api (prefix) at ns/gw/wild",
    "*/api (prefix) at ns/gw/all",
    "two.example/api (prefix) at ns/gw/one",
  ]);
});
