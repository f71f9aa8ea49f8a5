/** Messages about TCPRoutes, UDPRoutes and TLSRoutes that are accepted and send nothing on. */
import { expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  listener,
  namespace,
  pooled,
  type RouteSketch,
  route,
  serviceIn,
} from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { fullSentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { Translator } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const world = put(
  emptySnapshot,
  gatewayClass(),
  namespace("ns"),
  serviceIn("ns", "web"),
  serviceIn("ns", "dns", { protocol: "UDP" }),
  gateway({
    listeners: [
      listener({ name: "tcp", port: 5432, protocol: "TCP" }),
      listener({ name: "udp", port: 53, protocol: "UDP" }),
      listener({ name: "tls", port: 443, protocol: "TLS", tls: { mode: "Passthrough" } }),
    ],
  }),
);

function streamRoute(kind: "TCPRoute" | "UDPRoute" | "TLSRoute", sketch: RouteSketch = {}): KubernetesObject {
  const backendRefs = [{ name: kind === "UDPRoute" ? "dns" : "web", port: 80 }];
  const hosts = kind === "TLSRoute" ? { hostnames: ["a.example"] } : {};
  return { ...route({ rules: [{ backendRefs }], ...hosts, ...sketch }), kind } as KubernetesObject;
}

/** Makes turns of one controller, with the messages and the acceptance of routes after each. */
function turns() {
  const translator = new Translator(pooled, fake);
  return (...objects: KubernetesObject[]) => {
    const { problems, statuses } = translator.turn({ ...emptyInputs, snapshot: put(world, ...objects) });
    const accepted = (called: string) => {
      const status = statuses.get(called);
      const [first, second] = status?.kind === "route" ? status.parents[0]!.conditions : [];
      return [first?.status, first?.reason, second?.status, second?.reason, first?.message];
    };
    return { sentences: [...problems.values()].flat().map(fullSentence), accepted };
  };
}

const weights = (...all: number[]) => [{ backendRefs: all.map((weight) => ({ name: "web", port: 80, weight })) }];

test.each(["TCPRoute", "TLSRoute"] as const)("a %s whose weights are all 0 is accepted, with a message", (kind) => {
  const why = "spec.rules[0].backendRefs: gives every backend the weight 0; all connections are refused";
  const { sentences, accepted } = turns()(streamRoute(kind, { rules: weights(0, 0) }));
  expect(sentences).toEqual([`${kind} ns/route: ${why}`]);
  const [...conditions] = accepted(`${kind} ns/route`);
  expect(conditions.slice(0, 4)).toEqual(["True", "Accepted", "True", "ResolvedRefs"]);
  expect(conditions[4]).toContain(why);
  expect(turns()(streamRoute(kind, { rules: weights(0, 1) })).sentences).toEqual([]);
});

test("a message says that the datagrams of a UDPRoute whose weights are all 0 are dropped", () => {
  const rules = [{ backendRefs: [{ name: "dns", port: 80, weight: 0 }] }];
  expect(turns()(streamRoute("UDPRoute", { rules })).sentences).toEqual([
    "UDPRoute ns/route: spec.rules[0].backendRefs: gives every backend the weight 0; all datagrams are dropped",
  ]);
});

test.each([
  ["TCPRoute", "spec.rules[0]: the older TCPRoute ns/old has listener", "tcp", "connections"],
  ["UDPRoute", "spec.rules[0]: the older UDPRoute ns/old has listener", "udp", "datagrams"],
  ["TLSRoute", "spec.hostnames: the older TLSRoute ns/old has host a.example on listener", "tls", "connections"],
] as const)("a younger %s stays Accepted, with a message until the older one is gone", (kind, begin, name, what) => {
  const parent = { sectionName: name };
  const [old, young] = [
    streamRoute(kind, { name: "old", age: 9, parent }),
    streamRoute(kind, { name: "young", parent }),
  ];
  const turn = turns();
  const sentence = `${begin} ns/gw/${name}; this route gets no ${what} of it`;
  const both = turn(old, young);
  expect(both.sentences).toEqual([`${kind} ns/young: ${sentence}`]);
  const attached = `the route is attached to listener ${name} of Gateway ns/gw`;
  const good = ["True", "Accepted", "True", "ResolvedRefs"];
  expect(both.accepted(`${kind} ns/young`)).toEqual([...good, `${attached}. ${sentence}`]);
  expect(both.accepted(`${kind} ns/old`)).toEqual([...good, attached]);
  const alone = turn(young);
  expect([alone.sentences, alone.accepted(`${kind} ns/young`)]).toEqual([[], [...good, attached]]);
});
