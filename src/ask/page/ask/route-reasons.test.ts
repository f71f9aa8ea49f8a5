/** `sluice why` gives the reason for routes whose Gateways are not served. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, route } from "../../../../test/support/gateways.ts";
import { put } from "../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../../core/model/objects.ts";
import { emptySnapshot } from "../../../core/model/snapshot.ts";
import { defaultOptions } from "../../../core/table/options.ts";
import { unservedRoutes } from "./route-reasons.ts";

const worldOf = (...objects: KubernetesObject[]) => ({
  ...{ snapshot: put(emptySnapshot, ...objects), options: defaultOptions, findings: [], unread: [] },
});
const reasons = (host: string, ...objects: KubernetesObject[]) => unservedRoutes(host, "http", worldOf(...objects));
const of = (gatewayClassName: string) => gateway({ spec: { gatewayClassName } });
const named = route({ hostnames: ["a.example", "*.b.example"] });

test("a route that has the host gives the reason why its Gateway is not served", () => {
  const begins = "HTTPRoute ns/route takes this host, and is not served here: ";
  const [ours, theirs] = [gatewayClass(), gatewayClass("theirs", "example.com/other")];
  expect(reasons("a.example", named)).toEqual([`${begins}Gateway ns/gw not found`]);
  expect(reasons("x.y.b.example", named, of("none"), ours)).toEqual([
    `${begins}Gateway ns/gw is of GatewayClass none, which does not exist; write gatewayClassName: sluice`,
  ]);
  expect(reasons("a.example", named, of("theirs"), theirs)).toEqual([
    `${begins}GatewayClass theirs of Gateway ns/gw is another controller's`,
  ]);
  expect(reasons("any.example", route({}), of("theirs"), theirs), "a route for all hosts").toEqual([
    `${begins}GatewayClass theirs of Gateway ns/gw is another controller's`,
  ]);
});

test("a Gateway that cannot be read is reported with its mistake", () => {
  const object = { kind: "Gateway", namespace: "ns", name: "gw" };
  const at = { file: "a.yaml", line: 7, column: 3 };
  const problem = {
    kind: "manifest-unusable",
    ...{ object, at, field: "spec.listeners", why: "the list is empty" },
    done: "it is not applied",
    fatal: true,
  } as const;
  const unread = [{ kind: "Gateway", key: "ns/gw", hosts: [], parents: [], ports: [], isEmpty: false }];
  const findings = [{ severity: "error", at, problem }] as const;
  expect(unservedRoutes("a.example", "http", { ...worldOf(named), unread, findings })).toEqual([
    "HTTPRoute ns/route takes this host, and is not served here: Gateway ns/gw has a mistake; correct it (a.yaml:7): spec.listeners: the list is empty; it is not applied",
  ]);
});

test("a TLSRoute is named for https requests alone", () => {
  const tlsRoute = { ...named, kind: "TLSRoute" };
  expect(unservedRoutes("a.example", "http", worldOf(tlsRoute))).toEqual([]);
  expect(unservedRoutes("a.example", "https", worldOf(tlsRoute))).toEqual([
    "TLSRoute ns/route takes this host, and is not served here: Gateway ns/gw not found",
  ]);
});

test("other hosts and served routes get no reason", () => {
  expect(reasons("b.example", named)).toEqual([]);
  expect(reasons("a.example", named, of("sluice"), gatewayClass())).toEqual([]);
});
