/** `sluice why` gives the reason for routes whose Gateways are not served. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, route } from "../../../test/support/gateways.ts";
import { put } from "../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import { emptySnapshot } from "../../model/snapshot.ts";
import { defaultOptions } from "../../translate/options.ts";
import { unservedRoutes } from "./route-reasons.ts";

const reasons = (host: string, ...objects: KubernetesObject[]) =>
  unservedRoutes(host, { snapshot: put(emptySnapshot, ...objects), options: defaultOptions });
const of = (gatewayClassName: string) => gateway({ spec: { gatewayClassName } });
const named = route({ hostnames: ["a.example", "*.b.example"] });

test("a route that names the host says why its Gateway is not served", () => {
  const begins = "HTTPRoute ns/route takes this host, and is not served here: ";
  const [ours, theirs] = [gatewayClass(), gatewayClass("theirs", "example.com/other")];
  expect(reasons("a.example", named)).toEqual([`${begins}Gateway ns/gw not found`]);
  expect(reasons("x.y.b.example", named, of("none"), ours)).toEqual([
    `${begins}Gateway ns/gw is of GatewayClass none, which does not exist; write gatewayClassName: sluice`,
  ]);
  expect(reasons("a.example", named, of("theirs"), theirs)).toEqual([
    `${begins}GatewayClass theirs of Gateway ns/gw is another controller's`,
  ]);
  expect(reasons("any.example", route({}), of("theirs"), theirs), "a route for all hosts").toHaveLength(1);
});

test("there is no reason for other hosts and for routes that are served", () => {
  expect(reasons("b.example", named)).toEqual([]);
  expect(reasons("a.example", named, of("sluice"), gatewayClass())).toEqual([]);
});
