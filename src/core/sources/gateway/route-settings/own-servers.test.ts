/** Settings of listeners that need a server block, and the ports that have none for them. */
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
import { givenForServers } from "../../../policies/on-routes.ts";
import type { FeatureValues } from "../../../policies/registry.ts";
import { Translator } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const world = put(emptySnapshot, gatewayClass(), namespace("ns"), serviceIn("ns", "web"));
const data = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
const configured = { ...pooled, configMap: "ns/config" };
const shared = { ...configured, gateway: { ...pooled.gateway, shared: "ns/gw" } };
const snippet = { "server-snippet": "more_set_headers 'a: b';" };
const two = [listener({ hostname: "a.example" }), listener({ name: "more", hostname: "b.example" })];

function translatorOf(options = configured) {
  const translator = new Translator(options, fake);
  let snapshot = put(world, configMap("ns/config", data));
  return (...objects: readonly KubernetesObject[]) => {
    snapshot = put(snapshot, ...objects);
    const { configuration, problems } = translator.turn({ ...emptyInputs, snapshot });
    const listeners = [...configuration.listenerPorts.values()].flatMap((port) => port.listeners);
    return {
      own: Object.fromEntries(
        listeners.map(({ name, own }) => [
          name,
          own === undefined ? [] : givenForServers(own.features as FeatureValues).map(([one]) => one),
        ]),
      ),
      ports: configuration.listenerPorts,
      closed: [...configuration.servers.values()].flatMap(({ listener: id, name, locations }) =>
        id !== undefined && locations.some((one) => one.closed !== undefined) ? [name] : [],
      ),
      features: configuration.servers.get("ns/gw/http a.example")?.features,
      sentences: [...problems.values()].flat().map((one) => `${named(one.object)}: ${sentence(one)}`),
    };
  };
}

test("settings of a listener apply to it alone, and its ciphers only with TLS", () => {
  const turn = translatorOf();
  const settings = routeSettings({ values: { ...snippet, "ssl-ciphers": "HIGH" }, to: [["Gateway", "gw", "http"]] });
  const first = turn(gateway({ listeners: two }), route({ hostnames: ["a.example", "b.example"] }), settings);
  expect(first.own).toEqual({ http: ["serverSnippet"], more: [] });
  expect(first.features?.serverSnippet.text).toBe(snippet["server-snippet"]);
  expect([first.closed, first.sentences]).toEqual([[], []]);
  const again = turn(route({ name: "other", hostnames: ["b.example"] }));
  expect(again.ports, "the ports of equal settings stay the same objects").toBe(first.ports);
  const gone = turn(routeSettings({ values: { "proxy-read-timeout": 7 }, to: [["Gateway", "gw", "http"]] }));
  expect(gone.own).toEqual({ http: [], more: [] });
});

test("on ports of Ingresses a listener has no block, so guards close its rules and ciphers are ignored", () => {
  const objects = [gateway({ listeners: two }), route({ hostnames: ["a.example", "b.example"] })];
  const to = [["Gateway", "gw", "http"]] as const;
  const guarded = translatorOf(shared)(...objects, routeSettings({ values: snippet, to }));
  expect([guarded.own, guarded.closed]).toEqual([{ http: [], more: [] }, ["a.example"]]);
  expect(guarded.sentences).toContain(
    "RouteSettings ns/settings: spec.server-snippet: has no effect on listener http: its port has the server blocks of Ingresses; the rules that it is for answer 503",
  );
  const plain = translatorOf(shared)(...objects, routeSettings({ values: { "ssl-ciphers": "HIGH" }, to }));
  expect([plain.own, plain.closed]).toEqual([{ http: [], more: [] }, []]);
  expect(plain.sentences).toContain(
    "RouteSettings ns/settings: spec.ssl-ciphers: has no effect on listener http: its port has the server blocks of Ingresses; it is ignored there",
  );
});

test("settings that the operator does not permit open nothing and close the rules", () => {
  const turn = translatorOf();
  const found = turn(
    configMap("ns/config", {}),
    gateway({ listeners: two }),
    route({ hostnames: ["a.example", "b.example"] }),
    routeSettings({ values: snippet, to: [["Gateway", "gw", "http"]] }),
  );
  expect([found.own, found.closed]).toEqual([{ http: [], more: [] }, ["a.example"]]);
});
