/** The lines of `sluice diff` about listeners and routes. */
import { expect, test } from "vitest";
import { gateway, gatewayClass, listener, route, serviceIn } from "../../test/support/gateways.ts";
import { fake, put } from "../../test/support/sketch.ts";
import type { KubernetesObject } from "../core/model/objects.ts";
import { emptySnapshot } from "../core/model/snapshot.ts";
import { defaultOptions } from "../core/table/options.ts";
import { Translator } from "../core/table/translator.ts";
import { emptyInputs } from "../core/table/turn.ts";
import { changesBetween } from "./route-lines.ts";

const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, addresses: ["192.0.2.10"] } };

function changes(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): readonly string[] {
  const translator = new Translator(options, fake);
  const world = put(emptySnapshot, gatewayClass(), serviceIn("ns", "web"), serviceIn("ns", "other"));
  const [one, other] = [before, after].map(
    (objects) => translator.turn({ ...emptyInputs, snapshot: put(world, ...objects) }).configuration,
  );
  return changesBetween(one!, other!)
    .filter(({ what }) => what !== "backend")
    .map(({ what, how, name, detail }) => `${how} ${what} ${name}: ${detail}`);
}

const at = (port: number, hostname = "*.a.example") => gateway({ listeners: [listener({ port, hostname })] });
const shares = (...weights: readonly number[]) =>
  route({
    hostnames: ["www.a.example"],
    rules: [
      { backendRefs: ["web", "other"].map((name, nth) => ({ name, port: 80, weight: weights[nth]! })) },
      {
        matches: [{ path: { type: "PathPrefix", value: "/old" } }],
        filters: [{ type: "RequestRedirect", requestRedirect: { hostname: "b.example", statusCode: 301 } }],
      },
    ],
  });

test("each listener that is added, removed or changed has a line with its port and hostname", () => {
  expect(changes([at(80)], [at(8080)])).toEqual([
    "added listener ns/gw/http: port 8080",
    "removed listener ns/gw/http: port 80",
  ]);
  expect(changes([at(80)], [at(80, "")])).toEqual([
    "changed listener ns/gw/http: hostname *.a.example -> of all hosts",
  ]);
});

test("the line of a rule has all its backends with weights, and that of a redirect has its status", () => {
  expect(changes([at(80)], [at(80), shares(9, 1)])).toEqual([
    "added path www.a.example/ (prefix) at ns/gw/http: leads to ns/web:80 (9), ns/other:80 (1)",
    "added path www.a.example/old (prefix) at ns/gw/http: leads to a redirect with 301",
  ]);
  expect(changes([at(80), shares(9, 1)], [at(80), shares(8, 2)])).toEqual([
    "changed path www.a.example/ (prefix) at ns/gw/http: backends ns/web:80 (9), ns/other:80 (1) -> ns/web:80 (8), ns/other:80 (2)",
  ]);
});
