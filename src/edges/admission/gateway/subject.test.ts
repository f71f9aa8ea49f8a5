/**
 * The sizes of Gateways and routes that the webhook reviews. Any program that reaches the port can
 * send a route that no API server would store, and the cost of a review is a product of its lists.
 */
import { expect, test } from "vitest";
import { gateway, gatewayClass, listener, pooled } from "../../../../test/support/gateways.ts";
import { put } from "../../../../test/support/sketch.ts";
import { emptySnapshot } from "../../../core/model/snapshot.ts";
import { type GatewayObject, subjectOf } from "./subject.ts";
import { warningsFor } from "./warnings.ts";

const many = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at));
const read = (spec: object, kind = "HTTPRoute") => subjectOf({ metadata: { name: "r" }, spec }, kind, "ns");

const pathOf = (rule: number, match: number) => ({ path: { type: "PathPrefix", value: `/${rule}/${match}` } });
const routeOf = ({ hosts = 16, rules = 16, matches = 8, parents = 32 }) => ({
  hostnames: many(hosts, (at) => `h${at}.example`),
  parentRefs: many(parents, (at) => ({ name: "gw", sectionName: `l${at}` })),
  rules: many(rules, (rule) => ({ matches: many(matches, (match) => pathOf(rule, match)) })),
});
const listenersOf = (count: number) => ({
  gatewayClassName: "sluice",
  listeners: many(count, (at) => listener({ name: `l${at}`, hostname: `h${at}.example` })),
});
const textOf = (length: number) => ({ type: "RegularExpression", value: "a".repeat(length) });

test("a route and a Gateway of the largest size that the definitions allow are reviewed", () => {
  expect(read(routeOf({}))).toBeDefined();
  expect(read(routeOf({ rules: 2, matches: 64 }))).toBeDefined();
  expect(read(listenersOf(64), "Gateway")).toBeDefined();
  expect(read({ hostnames: many(1_024, (at) => `h${at}.example`) }, "TLSRoute")).toBeDefined();
  expect(read({ rules: [{ matches: [{ path: textOf(4_096) }] }] })).toBeDefined();
});

test.each([
  ["hostnames", routeOf({ hosts: 17 })],
  ["rules", routeOf({ rules: 17, matches: 1 })],
  ["matches in a rule", routeOf({ rules: 1, matches: 65 })],
  ["matches in all rules", routeOf({ rules: 16, matches: 9 })],
  ["parents", routeOf({ parents: 33 })],
  ["items under a name that all objects have", { constructor: many(257, () => 0) }],
  ["matches in a list inside their list", { rules: [{ matches: [many(65, (at) => pathOf(0, at))] }] }],
  ["characters in one text", { rules: [{ matches: [{ path: textOf(4_097) }] }] }],
  [
    "characters in all texts",
    { rules: many(16, () => ({ matches: many(8, () => ({ headers: many(4, () => textOf(4_000)) })) })) },
  ],
])("a route with too many %s gets no review", (_, spec) => {
  expect(read(spec)).toBeUndefined();
});

test("a TLSRoute with too many hostnames gets no review", () => {
  expect(read({ hostnames: many(1_025, (at) => `h${at}.example`) }, "TLSRoute")).toBeUndefined();
});

test("a Gateway with too many listeners gets no review", () => {
  expect(read(listenersOf(65), "Gateway")).toBeUndefined();
});

test("the review of the largest route takes less than two seconds of processor time", () => {
  const snapshot = put(emptySnapshot, gatewayClass(), gateway({ listeners: listenersOf(64).listeners }));
  const largest = read({ ...routeOf({}), parentRefs: [{ name: "gw" }] }) as GatewayObject;
  const before = process.cpuUsage();
  expect(warningsFor(largest, snapshot, pooled)).not.toEqual([]);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(2);
});
