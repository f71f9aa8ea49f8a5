import { expect, test } from "vitest";
import type { Ingress, IngressClass, KubernetesObject } from "../../core/model/objects.ts";
import { keyOf } from "../../core/model/objects.ts";
import type { Problem } from "../../core/model/problem.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import { isOurs } from "../../core/sources/ingress/accept.ts";
import type { SyncReport } from "../../core/sync/ports.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { EventWriter } from "./event-writer.ts";

const ownPod = { apiVersion: "v1", kind: "Pod", namespace: "own", name: "controller" };

function setUp({ syncEvents = true, leads = true } = {}) {
  const events: string[] = [];
  const failures: string[] = [];
  let snapshot = emptySnapshot;
  const writer = new EventWriter({
    recorder: {
      record: (about, type, reason, message) => {
        if (message.includes("poison")) throw new TypeError("nobody thought of it");
        const { namespace, name } = "metadata" in about ? about.metadata : about;
        events.push(`${about.kind} ${namespace}/${name}: ${type} ${reason} ${message}`);
      },
    },
    snapshot: () => snapshot,
    isOurs: (ingress, { ingressClasses }) => isOurs(ingress, ingressClasses, defaultOptions),
    configMaps: ["own/settings"],
    ownPod: () => ownPod,
    syncEvents,
    failed: ({ kind, name }, bug) => failures.push(`${kind} ${name}: ${bug.message}`),
  });
  writer.lead(leads);
  const takeIn = (key: string, object: KubernetesObject) => {
    snapshot = { ...snapshot, failures: snapshot.failures.with([[key, { object, why: "TypeError: x" }]]) };
  };
  const put = (...objects: readonly KubernetesObject[]) => {
    snapshot = withObjects(
      snapshot,
      objects.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object })),
    );
    writer.look();
    return events.splice(0);
  };
  return { writer, events, failures, put, takeIn };
}

const ingress = (name: string, ingressClassName: string, annotations = {}): Ingress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { namespace: "shop", name, annotations },
  spec: { ingressClassName },
});
const ingressClass: IngressClass = {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "nginx" },
  spec: { controller: "k8s.io/ingress-nginx" },
};
const configMap = (data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "own", name: "settings" },
  data,
});
const problem = (name: string, service: string): Problem => ({
  kind: "service-missing",
  object: { kind: "Ingress", namespace: "shop", name },
  field: "spec.defaultBackend",
  service,
});
const report = (reload: SyncReport["reload"]): SyncReport => ({
  change: { kind: "reload", why: ["a new setting"] },
  records: {},
  translateMs: 1,
  renderMs: 1,
  publishMs: 1,
  tookMs: 1,
  ...(reload ? { reload } : {}),
});

test("an accepted Ingress gets an Event when it appears and when it changes, and other Ingresses get none", () => {
  const { put } = setUp();
  expect(put(ingressClass, ingress("web", "nginx"), ingress("other", "traefik"))).toEqual([
    "Ingress shop/web: Normal Sync the Ingress was read",
  ]);
  expect(put(ingress("web", "nginx", { a: "b" }))).toHaveLength(1);
  expect(put(ingress("other", "nginx"))).toEqual(["Ingress shop/other: Normal Sync the Ingress was read"]);
});

test("only the leader writes about objects, and a new leader writes about all that are there", () => {
  const { put, writer, events } = setUp({ leads: false });
  expect(put(ingressClass, ingress("web", "nginx"), configMap({}))).toEqual([]);
  writer.problems(Table.from<readonly Problem[]>([["a", [problem("web", "x")]]]));
  writer.synced(report({ kind: "reloaded", tookMs: 1, warnings: [] }));
  expect(events.splice(0)).toEqual(["Pod own/controller: Normal RELOAD nginx was reloaded: a new setting"]);
  const all = [
    "ConfigMap own/settings: Normal CREATE ConfigMap own/settings was read",
    "Ingress shop/web: Warning ServiceMissing spec.defaultBackend: Service x not found; the path answers 503",
    "Ingress shop/web: Normal Sync the Ingress was read",
  ];
  writer.lead(true);
  writer.lead(true);
  expect(events.splice(0).sort()).toEqual(all.toSorted());
  writer.lead(false);
  expect(put(ingress("later", "nginx"))).toEqual([]);
  writer.lead(true);
  expect(events.sort()).toEqual([...all, "Ingress shop/later: Normal Sync the Ingress was read"].sort());
});

test("a class that appears later makes its Ingresses ours", () => {
  const { put } = setUp();
  expect(put(ingress("web", "nginx"))).toEqual([]);
  expect(put(ingressClass)).toEqual(["Ingress shop/web: Normal Sync the Ingress was read"]);
});

test("the controller's ConfigMap gets an Event when it is read, and again after a change", () => {
  const { put } = setUp();
  const stranger = { ...configMap({}), metadata: { namespace: "own", name: "stranger" } };
  expect(put(configMap({}), stranger)).toEqual([
    "ConfigMap own/settings: Normal CREATE ConfigMap own/settings was read",
  ]);
  expect(put(configMap({ a: "b" }))).toEqual(["ConfigMap own/settings: Normal UPDATE ConfigMap own/settings was read"]);
});

test("a Problem is one Warning on its object, however many turns have it and in whatever order", () => {
  const { put, writer, events } = setUp();
  put(ingressClass, ingress("web", "nginx"));
  writer.problems(Table.from<readonly Problem[]>([["a", [problem("web", "x"), problem("gone", "x")]]]));
  writer.problems(Table.from<readonly Problem[]>([["b", [problem("web", "x")]]]));
  writer.problems(Table.from<readonly Problem[]>([["b", [problem("web", "y")]]]));
  const sentence = (service: string) => `spec.defaultBackend: Service ${service} not found; the path answers 503`;
  expect(events).toEqual([
    `Ingress shop/web: Warning ServiceMissing ${sentence("x")}`,
    `Ingress shop/web: Warning ServiceMissing ${sentence("y")}`,
  ]);
});

test("a reload is an Event of the controller's own Pod, and a refused one is a Warning with nginx's message", () => {
  const { writer, events } = setUp({ syncEvents: false });
  writer.synced(report({ kind: "reloaded", tookMs: 1, warnings: [] }));
  writer.synced(report({ kind: "refused", stderr: "unknown directive" }));
  writer.synced(report(undefined));
  expect(events).toEqual([
    "Pod own/controller: Normal RELOAD nginx was reloaded: a new setting",
    "Pod own/controller: Warning RELOAD nginx refuses it: unknown directive",
  ]);
});

test("--disable-sync-events leaves only the Event RELOAD", () => {
  const { put, writer, events } = setUp({ syncEvents: false });
  expect(put(ingressClass, ingress("web", "nginx"), configMap({}))).toEqual([]);
  writer.problems(Table.from<readonly Problem[]>([["a", [problem("web", "x")]]]));
  expect(events).toEqual([]);
});

test("an object on which Sluice fails gets no Event, and all others get theirs", () => {
  const { put, writer, events, failures } = setUp();
  const strange = Object.defineProperty(ingress("strange", "nginx"), "spec", {
    get: () => {
      throw new TypeError("nobody thought of it");
    },
  });
  expect(put(ingressClass, strange, ingress("web", "nginx"))).toEqual([
    "Ingress shop/web: Normal Sync the Ingress was read",
  ]);
  const problems = [problem("web", "poison"), problem("web", "x")];
  writer.problems(Table.from<readonly Problem[]>([["a", problems]]));
  expect(events).toHaveLength(1);
  expect(failures).toEqual(["Ingress strange: nobody thought of it", "Ingress web: nobody thought of it"]);
});

test("an object that the source could not read gets an Event nevertheless", () => {
  const { put, writer, events, takeIn } = setUp();
  put(ingressClass);
  takeIn("Ingress shop/web", ingress("web", "nginx"));
  const object = { kind: "Ingress", namespace: "shop", name: "web" };
  writer.problems(Table.from<readonly Problem[]>([["a", [{ kind: "bug", object, why: "TypeError: x" }]]]));
  expect(events).toEqual([
    expect.stringContaining("Ingress shop/web: Warning Bug it is not applied because Sluice failed"),
  ]);
});
