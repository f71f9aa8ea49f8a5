/**
 * Puts values of wrong types into each field of each kind of the Gateway API. The definitions in a
 * cluster may be older or newer than Sluice, or have no schema, and then the API server accepts
 * such an object. It must affect no other object.
 */
import { expect, test } from "vitest";
import {
  everyKind,
  type Path,
  pathsIn,
  valueAt,
  wholeOptions,
  wholeSnapshot,
  withValue,
} from "../../../../../test/support/every-kind.ts";
import {
  backendTLSPolicy,
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  namespace,
  route,
  serviceIn,
} from "../../../../../test/support/gateways.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import { type KubernetesObject, keyOf, objectKey } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import type { Snapshot } from "../../../model/snapshot.ts";
import type { Table } from "../../../model/table.ts";
import { type Translation, Translator } from "../../../table/translator.ts";
import { emptyInputs } from "../../../table/turn.ts";

const home = "neighbour";
const parent = { namespace: home };
const inHome = <T extends KubernetesObject>(one: T): T => ({ ...one, metadata: { ...one.metadata, namespace: home } });
const set = inHome(listenerSet({ listeners: [listener({ hostname: "set.neighbour.example" })] }));
const stream = route({ name: "stream", namespace: home, parent: { ...parent, sectionName: "tcp" } });
const neighbours: readonly KubernetesObject[] = [
  gatewayClass("neighbours"),
  namespace(home),
  serviceIn(home, "web"),
  inHome(
    gateway({
      age: 90,
      listeners: [listener({}), listener({ name: "tcp", port: 9000, protocol: "TCP" })],
      spec: {
        gatewayClassName: "neighbours",
        addresses: [{ value: "192.0.2.11" }],
        allowedListeners: { namespaces: { from: "Same" } },
      },
    }),
  ),
  { ...set, spec: { ...set.spec, parentRef: { name: "gw" } } } as KubernetesObject,
  route({ namespace: home, parent, hostnames: ["a.neighbour.example"] }),
  route({ name: "of-set", namespace: home, parent: { ...parent, kind: "ListenerSet", name: "set" } }),
  { ...stream, kind: "TCPRoute", apiVersion: "gateway.networking.k8s.io/v1alpha2" },
  inHome(backendTLSPolicy({ service: "other" })),
];
const pool = ["192.0.2.10", "192.0.2.11"];
const options = { ...wholeOptions, gateway: { ...wholeOptions.gateway, addresses: pool } };
const world = put(wholeSnapshot, ...neighbours);

/** Returns what concerns the neighbour, as text. */
function ofNeighbour({ configuration, statuses, problems }: Translation): string {
  const parts = <T>(table: Table<T>) =>
    [...table].filter(([key]) => key.includes(`${home}/`)).sort(([one], [other]) => (one < other ? -1 : 1));
  const { servers, upstreams, listenerPorts, streams } = configuration;
  const bare = parts(statuses).map(([key, status]) => [key, { ...status, object: undefined }]);
  return JSON.stringify([
    ...[servers, upstreams, listenerPorts].map((table) => parts(table as Table<unknown>)),
    ...[streams.filter((one) => JSON.stringify(one).includes(home)), bare, parts(problems)],
  ]);
}

const turn = (translator: Translator, snapshot: Snapshot) => translator.turn({ ...emptyInputs, snapshot });
const wanted = ofNeighbour(turn(new Translator(options, fake), world));

const values: readonly unknown[] = [null, 5, 1.5, "x", [null], ["x"], { a: null }];

const controllerName = wholeOptions.gateway.controllerName;
const statuses: readonly unknown[] = [
  ...values.map((parents) => ({ parents })),
  ...values.map((addresses) => ({ addresses })),
  ...values.map((value) => ({ addresses: [{ type: "IPAddress", value }] })),
  ...values.map((listeners) => ({ listeners })),
  ...values.map((conditions) => ({ conditions })),
  ...values.map((ancestors) => ({ ancestors })),
  ...values.map((parentRef) => ({ parents: [{ parentRef, controllerName }] })),
  ...values.map((ancestorRef) => ({ ancestors: [{ ancestorRef, controllerName }] })),
];

function wrongFor(right: unknown): readonly unknown[] {
  const typeOf = (value: unknown) => (Array.isArray(value) ? "list" : value === null ? "null" : typeof value);
  const isSame = (value: unknown) => typeOf(value) === typeOf(right) && typeof value !== "object" && value !== 1.5;
  return values.filter((value) => !isSame(value));
}

const cases = (object: KubernetesObject): readonly (readonly [Path, unknown])[] => {
  const paths: readonly Path[] = [["spec"], ...pathsIn(object).filter((path) => path.length > 1)];
  return [
    ...paths.flatMap((path) => wrongFor(valueAt(object, path)).map((value) => [path, value] as const)),
    ...[...values, ...statuses].map((status) => [["status"], status] as const),
  ];
};

test("the neighbour has listeners, routes, a stream and statuses", () => {
  for (const part of ["a.neighbour.example", "set.neighbour.example", "192.0.2.11", "9000", "Programmed"])
    expect(wanted).toContain(part);
});

/** The API server checks the types of its own kinds in any case. */
const custom = Object.keys(everyKind).filter((kind) => everyKind[kind]!.apiVersion.includes("."));

test.each(custom)("values of wrong types in each field of %s affect nobody else", (kind) => {
  const object = everyKind[kind]!;
  const translator = new Translator(options, fake);
  cases(object).forEach(([path, value], at) => {
    const about = `${path.join(".")}: ${JSON.stringify(value)}`;
    const broken = put(world, withValue(object, path, value));
    const changed = turn(translator, broken);
    expect(ofNeighbour(changed), about).toBe(wanted);
    if (at % 10 === 0)
      expect(ofNeighbour(turn(new Translator(options, fake), broken)), `${about}, at a start`).toBe(wanted);
    const said = [...changed.problems.values()].flat();
    // A bug is a sentence for developers, and users could not correct their object by it.
    expect(said.filter((one) => one.kind === "bug").map(sentence), about).toEqual([]);
  });
  expect(ofNeighbour(turn(translator, world))).toBe(wanted);
});

test("an object with a wrong type is left out with a Problem, and is served again when it is mended", () => {
  const translator = new Translator(options, fake);
  const good = turn(translator, world);
  const object = everyKind.Gateway!;
  const key = objectKey("Gateway", keyOf(object));
  const broken = put(world, withValue(object, ["spec", "listeners", 1, "port"], "80"));
  const { problems, statuses, configuration } = turn(translator, broken);
  expect(
    [...problems.values()]
      .flat()
      .filter(({ object: { name } }) => name === "gw")
      .map(sentence),
  ).toContain(
    'spec.listeners[1].port: "80" is text because of its quotes; write the number without them; the object is left out, and all others are applied',
  );
  expect([statuses.get(key), configuration.servers.get("ns/gw/http a.example")]).toEqual([undefined, undefined]);
  const again = turn(translator, world);
  expect(JSON.stringify([...again.problems])).toBe(JSON.stringify([...good.problems]));
  expect(again.statuses.get(key)).toEqual(good.statuses.get(key));
});

test("a status with a wrong type does not leave out its object", () => {
  const object = { ...everyKind.HTTPRoute!, status: { parents: "x" } } as KubernetesObject;
  const { statuses } = turn(new Translator(options, fake), put(world, object));
  expect(statuses.get(objectKey("HTTPRoute", keyOf(object)))).toMatchObject({ kind: "route", parents: [{}] });
});
