import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { base, ingressClass, put } from "../../../test/support/sketch.ts";
import { type Ingress, type KubernetesObject, keyOf, type Service } from "../../core/model/objects.ts";
import { type Snapshot, type WatchedKind, withObjects } from "../../core/model/snapshot.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { type Answer, failed, failureFromStatus, ownFailure, succeeded } from "../../kube/answer.ts";
import type { Client } from "../../kube/index.ts";
import { keepServiceIngresses } from "./keep.ts";

const service = (asks: boolean, more: Partial<Service["spec"]> = {}, uid = "u1"): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "shop", name: "web", uid, ...(asks ? { annotations: { "ingress/http": "true" } } : {}) },
  spec: {
    ports: [
      { name: "metrics", port: 9090 },
      { name: "http", port: 8080 },
    ],
    ...more,
  },
});

/** Sets up a cluster whose Snapshot shows all writes, and runs the feature on it. */
function setUp(...objects: readonly KubernetesObject[]) {
  let snapshot: Snapshot = put(base, ...objects);
  const clock = new FakeClock();
  const requests: string[] = [];
  const events: string[] = [];
  const listeners = new Set<() => void>();
  const lost = new AbortController();
  const world = { holds: true, refusal: undefined as Answer<never> | undefined };
  const set = (of: KubernetesObject, object: KubernetesObject | undefined) => {
    snapshot = withObjects(snapshot, [{ kind: of.kind as WatchedKind, key: keyOf(of), object }]);
    for (const listener of listeners) listener();
  };
  const change = (object: KubernetesObject) => set(object, object);
  const remove = (object: KubernetesObject) => set(object, undefined);
  const respond = (request: string, write: () => void): Answer<never> => {
    requests.push(request);
    if (world.refusal) return world.refusal;
    write();
    return succeeded(undefined as never);
  };
  const there = () => snapshot.ingresses.get("shop/web") as Ingress;
  const client = {
    create: async (_of: unknown, object: Ingress) => respond("create", () => change(object)),
    patch: async (_of: unknown, _name: unknown, { body }: { body: Partial<Ingress> }) =>
      respond("patch", () => change({ ...there(), spec: body.spec } as Ingress)),
    delete: async (_of: unknown, _name: unknown, _signal: unknown, { uid }: { readonly uid?: string }) =>
      respond(`delete ${uid}`, () => remove(there())),
  } as unknown as Client;
  const running = keepServiceIngresses(
    {
      client,
      clock,
      accept: defaultOptions,
      hostPattern: "{service}.{namespace}.example.com",
      snapshot: () => snapshot,
      onChange: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      say: (about, type, reason) => events.push(`${type} ${reason} ${about.kind}`),
    },
    { lost: lost.signal, holds: () => world.holds },
    new AbortController().signal,
  );
  return { change, clock, listeners, lost, remove, requests, running, events, there, world };
}

test("an annotated Service gets an Ingress of its name, which it owns", async () => {
  const { clock, requests, events, there } = setUp(service(true));
  await clock.advance(0);
  expect(requests).toEqual(["create"]);
  expect(events).toEqual(["Normal IngressCreated Service"]);
  expect(there().metadata.ownerReferences).toEqual([
    { apiVersion: "v1", kind: "Service", name: "web", uid: "u1", controller: true },
  ]);
  const backend = { service: { name: "web", port: { number: 8080 } } };
  expect(there().spec).toEqual({
    ingressClassName: "nginx",
    rules: [{ host: "web.shop.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
  });
});

test("a Service gets no Ingress without the annotation, without a port, or while it is deleted", async () => {
  const going = service(true);
  const metadata = { ...going.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
  for (const one of [service(false), { ...going, metadata }, service(true, { ports: [] })]) {
    const { clock, requests } = setUp(one);
    await clock.advance(0);
    expect(requests).toEqual([]);
  }
});

test("the Ingress is deleted with the annotation, and is restored when a user deletes or changes it", async () => {
  const { change, clock, remove, requests, there } = setUp(service(true));
  await clock.advance(0);
  const made = there();
  remove(made);
  await clock.advance(0);
  expect(requests.splice(0)).toEqual(["create", "create"]);
  change({ ...made, metadata: { ...made.metadata, uid: "i1" }, spec: { rules: [] } } as Ingress);
  await clock.advance(0);
  expect(there().spec).toEqual(made.spec);
  change(service(false));
  await clock.advance(0);
  expect(requests).toEqual(["patch", "delete i1"]);
});

test("TLS and annotations that a user adds to the Ingress stay", async () => {
  const { change, clock, requests, there } = setUp(service(true));
  await clock.advance(0);
  const { metadata, spec } = there();
  const annotations = { "nginx.ingress.kubernetes.io/proxy-body-size": "8m" };
  change({
    ...there(),
    metadata: { ...metadata, annotations },
    spec: { ...spec, tls: [{ secretName: "s" }] },
  } as Ingress);
  await clock.advance(0);
  expect(requests).toEqual(["create"]);
});

test.each([
  ["that a user wrote", { uid: "", label: "" }],
  ["of a Service of the same name that is gone", { uid: "u0", label: "sluice-service-ingress" }],
  ["of another program that the Service owns", { uid: "u1", label: "Helm" }],
])("an Ingress %s stays unchanged, with and without the annotation", async (_whose, { uid, label }) => {
  const owner = { apiVersion: "v1", kind: "Service", name: "web", uid, controller: true };
  const foreign: Ingress = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      namespace: "shop",
      name: "web",
      labels: { "app.kubernetes.io/managed-by": label },
      ownerReferences: [owner],
    },
  };
  const { change, clock, requests, events } = setUp(service(true), foreign);
  await clock.advance(0);
  expect(events).toEqual(["Warning IngressExists Service"]);
  change(service(false));
  await clock.advance(0);
  expect(requests).toEqual([]);
});

test("a refused write is repeated ten times at growing intervals, and then reported once", async () => {
  const { clock, requests, events, world } = setUp(service(true));
  world.refusal = failed(failureFromStatus(422, { message: "no" }));
  await clock.advance(1_000);
  expect(requests.length).toBeLessThan(10);
  expect(events).toEqual([]);
  await clock.advance(600_000);
  expect(requests).toHaveLength(11);
  expect(events).toEqual(["Warning IngressFailed Service"]);
});

test("failures to reach an API server do not count as tries", async () => {
  const { clock, requests, events, there, world } = setUp(service(true));
  world.refusal = failed(ownFailure("unreachable", "no route"));
  await clock.advance(600_000);
  expect(requests.length).toBeGreaterThan(100);
  world.refusal = undefined;
  await clock.advance(5_000);
  expect(there().spec?.rules?.map(({ host }) => host)).toEqual(["web.shop.example.com"]);
  expect(events).toEqual(["Normal IngressCreated Service"]);
});

test("nothing is written once another process may hold the Lease", async () => {
  const { change, clock, listeners, lost, requests, running, world } = setUp();
  world.holds = false;
  change(service(true));
  await clock.advance(0);
  lost.abort();
  await running;
  expect(requests).toEqual([]);
  expect([listeners.size, clock.waiting]).toEqual([0, 0]);
});

test("the Ingress gets a class that appears later", async () => {
  const { change, clock, remove, requests, there } = setUp(service(true));
  await clock.advance(0);
  remove(ingressClass);
  change({ ...ingressClass, metadata: { name: "edge" } });
  await clock.advance(0);
  expect(requests).toEqual(["create", "patch"]);
  expect(there().spec?.ingressClassName).toBe("edge");
});
