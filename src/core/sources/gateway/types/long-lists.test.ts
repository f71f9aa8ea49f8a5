/**
 * Lists that are longer than the definitions of the Gateway API allow. Without a schema the API
 * server stores them, and each host of a route has each of its matches on each listener.
 */
import { expect, test } from "vitest";
import { gateway, gatewayClass, listener, listenerSet, pooled, route } from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { translate } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const many = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at));
const backendRefs = [{ name: "web", port: 80 }];
const matches = (count: number, from = 0) => many(count, (at) => ({ path: { value: `/${from + at}` } }));
const listeners = (count: number) => many(count, (at) => listener({ name: `l${at}`, hostname: `l${at}.example` }));
const world = put(emptySnapshot, gatewayClass(), gateway({}), route({ name: "neighbour", hostnames: ["b.example"] }));

/** Returns the messages about the object, and whether its neighbour is served. */
function read(object: KubernetesObject) {
  const { problems, statuses } = translate({ ...emptyInputs, snapshot: put(world, object) }, pooled, fake);
  const about = [...problems.values()].flat().filter((problem) => problem.object.name === object.metadata.name);
  const neighbour = [...statuses].find(([key]) => key.includes("neighbour"))?.[1];
  return {
    said: about.map(sentence),
    isServed: JSON.stringify(neighbour).includes('"type":"Accepted","status":"True"'),
  };
}

const evil = (words: Parameters<typeof route>[0]) => route({ name: "evil", ...words });
const parents = (count: number) => {
  const one = evil({});
  return { ...one, spec: { ...one.spec, parentRefs: many(count, (at) => ({ name: "gw", sectionName: `l${at}` })) } };
};

test.each<[string, KubernetesObject, string]>([
  [
    "hostnames",
    evil({ hostnames: many(17, (at) => `h${at}.example`) }),
    "spec.hostnames: the list has 17 items, and 16 are the most",
  ],
  ["parents", parents(33), "spec.parentRefs: the list has 33 items, and 32 are the most"],
  [
    "rules",
    evil({ rules: many(17, () => ({ backendRefs })) }),
    "spec.rules: the list has 17 items, and 16 are the most",
  ],
  [
    "matches of a rule",
    evil({ rules: [{ backendRefs, matches: matches(65) }] }),
    "spec.rules[0].matches: the list has 65 items, and 64 are the most",
  ],
  [
    "matches of all rules",
    evil({ rules: many(3, (at) => ({ backendRefs, matches: matches(43, 43 * at) })) }),
    "spec.rules: they have 129 matches together, and 128 are the most",
  ],
  [
    "listeners",
    gateway({ name: "evil", listeners: listeners(65) }),
    "spec.listeners: the list has 65 items, and 64 are the most",
  ],
  [
    "listeners of a ListenerSet",
    listenerSet({ name: "evil", listeners: listeners(65) }),
    "spec.listeners: the list has 65 items, and 64 are the most",
  ],
])("an object with too many %s is left out alone", (_, object, why) => {
  const { said, isServed } = read(object);
  expect(said).toEqual([`${why}; the object is left out, and all others are applied`]);
  expect(isServed).toBe(true);
});

test("a TLSRoute may have more hostnames than other routes", () => {
  const withHostnames = (count: number) => ({
    ...evil({ hostnames: many(count, (at) => `h${at}.example`) }),
    kind: "TLSRoute",
  });
  expect(read(withHostnames(1_024)).said.join()).not.toContain("are the most");
  expect(read(withHostnames(1_025)).said.join()).toContain("the list has 1025 items, and 1024 are the most");
});

test("a route with the longest lists that the definitions allow is served", () => {
  const rules = many(16, (at) => ({ backendRefs, matches: matches(8, 8 * at) }));
  const { said } = read(evil({ hostnames: many(16, (at) => `h${at}.example`), rules }));
  expect(said.join()).not.toContain("are the most");
});
