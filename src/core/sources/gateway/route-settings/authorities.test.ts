/**
 * RouteSettings that make nginx load authorities: those of one namespace load a limited amount, and
 * the others close the rules to which they apply.
 */
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
import { fake, put } from "../../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../../certificates/fake.ts";
import type { KubernetesObject, Secret } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot, withObjects } from "../../../model/snapshot.ts";
import { Translator } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const { chain } = await fakeCertificate(new Date("2026-01-01"));
/** Authorities of about 250 kB. */
const bundle = chain.repeat(Math.floor(250_000 / chain.length));
const store: Secret = {
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "store", namespace: "ns" } },
  data: { "ca.crt": Buffer.from(bundle).toString("base64") },
};
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const world = put(emptySnapshot, gatewayClass(), namespace("ns"), serviceIn("ns", "web"), store);
const listeners = (count: number) =>
  numbers(count).map((at) => listener({ name: `l${at}`, hostname: `h${at}.example` }));
const guard = { "auth-tls-secret": "ns/store" };

function translating(...objects: readonly KubernetesObject[]) {
  const translator = new Translator(pooled, fake);
  return (change: (snapshot: typeof world) => typeof world = (same) => same) => {
    const { configuration, problems } = translator.turn({ ...emptyInputs, snapshot: change(put(world, ...objects)) });
    const servers = [...configuration.servers.values()].filter((one) => one.listener !== undefined);
    const own = [...configuration.listenerPorts.values()].flatMap((port) =>
      port.listeners.flatMap((one) => one.own ?? []),
    );
    return {
      loads: own.length,
      open: servers.filter(({ locations }) => locations.every((one) => one.closed === undefined)).length,
      problems: [...problems.values()].flat().map(sentence),
    };
  };
}

test("the settings of 60 listeners load 4 MB together, and the rules of the youngest are closed", () => {
  const all = numbers(60).map((at) =>
    routeSettings({ name: `s${at}`, age: 60 - at, to: [["Gateway", "gw", `l${at}`]], values: guard }),
  );
  const turn = translating(gateway({ listeners: listeners(60) }), route({}), ...all);
  const found = turn();
  expect([found.loads, found.open]).toEqual([16, 16]);
  expect(found.problems).toContain(
    "spec: with the older objects of kind RouteSettings in namespace ns nginx would load more authorities and key pairs than authorities-per-namespace permits (4m); the rules that it is for answer 503",
  );
  const fewer = turn((full) => withObjects(full, [{ kind: "RouteSettings", key: "ns/s3", object: undefined }]));
  expect([fewer.loads, fewer.open], "one more fits, and listener 3 has no guard any more").toEqual([16, 17]);
});

test("settings of a Gateway count once for each of its listeners, also when these become more", () => {
  const settings = routeSettings({ to: [["Gateway", "gw"]], values: guard });
  const turn = translating(gateway({ listeners: listeners(16) }), route({}), settings);
  expect(turn()).toMatchObject({ loads: 16, open: 16, problems: [] });
  expect(turn((some) => put(some, gateway({ listeners: listeners(17) })))).toMatchObject({ loads: 0, open: 0 });
  expect(turn()).toMatchObject({ loads: 16, open: 16, problems: [] });
});
