import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import type { Condition, HTTPRoute } from "../../../core/model/gateway/objects.ts";
import type { DesiredCondition, DesiredStatus } from "../../../core/model/gateway/status.ts";
import { type KubernetesObject, keyOf, objectKey } from "../../../core/model/objects.ts";
import { Table } from "../../../core/model/table.ts";
import { failed, failureFromStatus, succeeded } from "../../../kube/answer.ts";
import type { Client, ObjectName, Patch, Resource, Term } from "../../../kube/index.ts";
import { type GatewayStatusEvent, GatewayStatuses } from "./keeper.ts";

const ours = "sluice.dev/gateway-controller";
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

type Stored = KubernetesObject & { readonly status?: Record<string, unknown> };

/** An API server with these objects, whose watch delivers changes when the test calls for it. */
function server(...objects: readonly Stored[]) {
  let version = 100;
  const stored = new Map(objects.map((one) => [objectKey(one.kind, keyOf(one)), one]));
  const seen = new Map(stored);
  const events: GatewayStatusEvent[] = [];
  const patches: { readonly name: string; readonly version: string; readonly status: Record<string, unknown> }[] = [];
  const hooks = { store: (status: unknown): unknown => status, before: (): void => {}, refuse: 0 };
  const put = (object: Stored) => {
    version += 1;
    const next = { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } };
    stored.set(objectKey(object.kind, keyOf(object)), next);
    return next;
  };
  for (const object of objects) seen.set(objectKey(object.kind, keyOf(object)), put(object));
  const client = {
    async get({ kind }: Resource<KubernetesObject>, { namespace, name }: ObjectName) {
      const found = stored.get(objectKey(kind, namespace === undefined ? name : `${namespace}/${name}`));
      return found ? succeeded(found) : failed(failureFromStatus(404, {}));
    },
    async patch(
      { kind, apiVersion: version }: Resource<KubernetesObject>,
      { namespace, name }: ObjectName,
      { body, subresource }: Patch,
    ) {
      hooks.before();
      expect(subresource).toBe("status");
      const key = objectKey(kind, namespace === undefined ? name : `${namespace}/${name}`);
      const { metadata, status } = body as Stored;
      const present = stored.get(key);
      if (present === undefined) return failed(failureFromStatus(404, {}));
      if (hooks.refuse > 0) return failed(failureFromStatus(hooks.refuse, {}));
      if (metadata.resourceVersion !== present.metadata.resourceVersion) return failed(failureFromStatus(409, {}));
      patches.push({ name, version, status: status as Record<string, unknown> });
      return succeeded(put({ ...present, status: hooks.store(status) as Record<string, unknown> }));
    },
  } as unknown as Client;
  const clock = new FakeClock();
  const statuses = new GatewayStatuses({
    client,
    controllerName: ours,
    newest: (kind, key) => seen.get(objectKey(kind, key)),
    *routes() {
      for (const { kind, metadata } of seen.values())
        if (kind === "HTTPRoute") yield [kind, keyOf({ metadata } as KubernetesObject)];
    },
    clock,
    report: (event) => events.push(event),
  });
  return {
    statuses,
    /** Reports a turn that is live at once. */
    serve(wanted: Table<DesiredStatus>) {
      statuses.take(wanted, "made");
      statuses.take(wanted, "live");
    },
    clock,
    events,
    patches,
    hooks,
    put,
    statusOf: (key: `${string} ${string}`) =>
      stored.get(key)?.status as { parents: HTTPRoute["status"] & unknown } & Stored["status"],
    /** Lets the watch deliver everything. */
    bring() {
      for (const [key, object] of stored) {
        seen.set(key, object);
        statuses.changed(object.kind, keyOf(object));
      }
    },
    lead() {
      const stop = new AbortController();
      stops.push(stop);
      const term: Term = { lost: stop.signal, holds: () => !stop.signal.aborted };
      return { stop, kept: statuses.keep(term, stop.signal) };
    },
  };
}

const metadata = { namespace: "shop", name: "web", uid: "1", generation: 3 };
const routeWith = (parents: readonly object[] = []): Stored => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata,
  status: { parents },
});
const condition = (type: string, status: DesiredCondition["status"] = "True"): DesiredCondition => ({
  type,
  status,
  reason: type,
  message: "a sentence",
});
const wantedRoute = (accepted: DesiredCondition["status"], object: KubernetesObject = routeWith()): DesiredStatus => ({
  kind: "route",
  object,
  parents: [{ parentRef: { name: "public" }, conditions: [condition("Accepted", accepted)] }],
});
const table = (...some: readonly DesiredStatus[]) =>
  Table.from(some.map((one) => [objectKey(one.object.kind, keyOf(one.object)), one] as const));
const key = "HTTPRoute shop/web";
const soon = { timeout: 30_000, interval: 5 };
const quiet = async () => {
  for (let i = 0; i < 20; i += 1) await turn();
};
const acceptedIn = (status: { readonly parents: unknown }) =>
  (status.parents as readonly { readonly conditions: readonly Condition[] }[]).map(
    ({ conditions }) => conditions.find(({ type }) => type === "Accepted")?.status,
  );

test("a status is written in the version in which the API server has the object", async () => {
  const early = { ...routeWith(), apiVersion: "gateway.networking.k8s.io/v1alpha2", kind: "TCPRoute" };
  const { statuses, serve, patches, lead } = server(early);
  serve(Table.empty<DesiredStatus>().with([["TCPRoute shop/web", wantedRoute("True", early)]]));
  lead();
  await vi.waitFor(() => expect(patches.map(({ version }) => version)).toEqual([early.apiVersion]), soon);
  expect(statuses.figures).toBeDefined();
});

test("a route becomes Accepted only when nginx serves it, and a refusal is written at once", async () => {
  const { statuses, patches, lead, statusOf, bring } = server(routeWith());
  lead();
  statuses.take(table(wantedRoute("True")), "made");
  await quiet();
  expect(patches).toEqual([]);
  statuses.take(table(wantedRoute("True")), "live");
  await vi.waitFor(() => expect(acceptedIn(statusOf(key))).toEqual(["True"]), soon);
  bring();
  statuses.take(table(wantedRoute("False")), "made");
  await vi.waitFor(() => expect(acceptedIn(statusOf(key))).toEqual(["False"]), soon);
  // A status is not written again before it is live, even if it was live in an older turn.
  bring();
  statuses.take(table(wantedRoute("True", { ...routeWith(), metadata: { ...metadata, generation: 4 } })), "made");
  await quiet();
  expect(acceptedIn(statusOf(key))).toEqual(["False"]);
});

test("conditions have their object's generation, and a time that stays while their status does", async () => {
  const { serve, lead, statusOf, clock, bring } = server(routeWith());
  lead();
  serve(table(wantedRoute("True")));
  await vi.waitFor(() => expect(statusOf(key)?.parents).toHaveLength(1), soon);
  const first = (statusOf(key).parents as unknown as readonly { readonly conditions: readonly Condition[] }[])[0];
  expect(first?.conditions[0]).toMatchObject({
    observedGeneration: 3,
    lastTransitionTime: expect.stringMatching(/Z$/),
  });
  bring();
  await clock.advance(60_000);
  serve(table(wantedRoute("True", { ...routeWith(), metadata: { ...metadata, generation: 4 } })));
  const now = () => (statusOf(key).parents as unknown as readonly { readonly conditions: readonly Condition[] }[])[0];
  await vi.waitFor(() => expect(now()?.conditions[0]?.observedGeneration).toBe(4), soon);
  expect(now()?.conditions[0]?.lastTransitionTime).toBe(first?.conditions[0]?.lastTransitionTime);
});

test("entries of other controllers stay, and ours go when the route no longer names a Gateway of ours", async () => {
  const foreign = { parentRef: { name: "other" }, controllerName: "example.com/other", conditions: [] };
  const old = { parentRef: { name: "former" }, controllerName: ours, conditions: [] };
  const { serve, lead, statusOf, bring } = server(routeWith([old, foreign]));
  lead();
  serve(table(wantedRoute("True")));
  const names = () => (statusOf(key).parents as unknown as (typeof foreign)[]).map(({ parentRef }) => parentRef.name);
  await vi.waitFor(() => expect(names()).toEqual(["other", "public"]), soon);
  bring();
  serve(table());
  await vi.waitFor(() => expect(names()).toEqual(["other"]), soon);
  expect(statusOf(key).parents).toEqual([foreign]);
});

test("a status has at most 32 parents, because the API server refuses more", async () => {
  const foreign = Array.from({ length: 30 }, (_, at) => {
    return { parentRef: { name: `other-${at}` }, controllerName: "example.com/other", conditions: [] };
  });
  const { serve, lead, statusOf } = server(routeWith(foreign));
  lead();
  const conditions = [condition("Accepted")];
  const parents = Array.from({ length: 4 }, (_, at) => ({ parentRef: { name: `own-${at}` }, conditions }));
  serve(table({ kind: "route", object: routeWith(), parents }));
  const names = () => (statusOf(key).parents as unknown as typeof foreign).map(({ parentRef }) => parentRef.name);
  await vi.waitFor(() => expect(names().slice(29)).toEqual(["other-29", "own-0", "own-1"]), soon);
});

test("a new leader finds the entries of the earlier one, and writes nothing twice", async () => {
  const left = { parentRef: { name: "public" }, controllerName: ours, conditions: [] };
  const { statuses, lead, statusOf, patches, bring } = server(routeWith([left]));
  statuses.take(table(), "made");
  const first = lead();
  await quiet();
  // Before nginx has served a configuration, no object counts as gone.
  expect(patches).toEqual([]);
  statuses.take(table(), "live");
  await vi.waitFor(() => expect(statusOf(key).parents).toEqual([]), soon);
  first.stop.abort();
  await first.kept;
  bring();
  lead();
  bring();
  await quiet();
  expect(patches).toHaveLength(1);
});

test("a status is restored although the watch has not delivered its change", async () => {
  const { statuses, lead, statusOf, bring } = server(routeWith());
  lead();
  statuses.take(table(wantedRoute("False")), "made");
  await vi.waitFor(() => expect(acceptedIn(statusOf(key))).toEqual(["False"]), soon);
  bring();
  const stale = wantedRoute("True");
  statuses.take(table(stale), "made");
  statuses.take(table(stale), "live");
  await vi.waitFor(() => expect(acceptedIn(statusOf(key))).toEqual(["True"]), soon);
  statuses.take(table(wantedRoute("False")), "made");
  await vi.waitFor(() => expect(acceptedIn(statusOf(key))).toEqual(["False"]), soon);
});

test("after a conflict the status is written again on the newer object", async () => {
  const { serve, lead, statusOf, hooks, put } = server(routeWith());
  const foreign = { parentRef: { name: "other" }, controllerName: "example.com/other", conditions: [] };
  hooks.before = () => {
    hooks.before = () => {};
    put(routeWith([foreign]));
  };
  lead();
  serve(table(wantedRoute("True")));
  await vi.waitFor(() => expect(statusOf(key).parents).toHaveLength(2), soon);
  expect(statusOf(key).parents).toContainEqual(foreign);
});

test("a field that the definitions do not have is sent once", async () => {
  const gatewayClass: Stored = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name: "sluice", uid: "2", generation: 1 },
  };
  const { statuses, lead, patches, hooks, bring } = server(gatewayClass);
  hooks.store = (status) => ({ ...(status as object), supportedFeatures: undefined });
  lead();
  const wanted: DesiredStatus = {
    kind: "GatewayClass",
    object: gatewayClass,
    conditions: [condition("Accepted")],
    supportedFeatures: ["Gateway", "HTTPRoute"],
  };
  // The status of a class does not wait for nginx.
  statuses.take(table(wanted), "made");
  await vi.waitFor(() => expect(patches).toHaveLength(1), soon);
  expect(patches[0]?.status.supportedFeatures).toEqual([{ name: "Gateway" }, { name: "HTTPRoute" }]);
  bring();
  bring();
  await quiet();
  expect(patches).toHaveLength(1);
});

test("without the right to write, tries become ever rarer, and each one is reported", async () => {
  const { serve, lead, hooks, events, clock, statusOf } = server(routeWith());
  hooks.refuse = 403;
  lead();
  serve(table(wantedRoute("True")));
  await quiet();
  await clock.advance(600_000);
  expect(events.length).toBeGreaterThan(3);
  expect(events.length).toBeLessThan(15);
  expect(events.every(({ kind }) => kind === "failed")).toBe(true);
  hooks.refuse = 0;
  await clock.advance(300_000);
  await vi.waitFor(() => expect(acceptedIn(statusOf(key))).toEqual(["True"]), soon);
});

test("a new object of the same name does not get the status of the former one", async () => {
  const { serve, lead, patches } = server({ ...routeWith(), metadata: { ...metadata, uid: "9" } });
  lead();
  serve(table(wantedRoute("True")));
  await quiet();
  expect(patches).toEqual([]);
});

const setWith = (status: object = {}): Stored => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "ListenerSet",
  metadata,
  status: { ...status },
});
const wantedSet = (status: DesiredCondition["status"]): DesiredStatus => ({
  kind: "ListenerSet",
  object: setWith(),
  conditions: [condition("Accepted", status), condition("Programmed", status)],
  listeners: [{ name: "http", supportedKinds: [], attachedRoutes: 2, conditions: [condition("Accepted", status)] }],
});
const setKey = "ListenerSet shop/web" as const;
const tableOfSet = (status: DesiredStatus) => Table.from([[setKey, status]]);
const setConditions = (status: unknown) =>
  (status as { readonly conditions?: readonly Condition[] }).conditions?.map((one) => `${one.type} ${one.status}`);

test("a ListenerSet gets its conditions when it is live, and starts again without a Gateway", async () => {
  const { statuses, serve, lead, statusOf, bring, patches } = server(setWith());
  lead();
  statuses.take(tableOfSet(wantedSet("True")), "made");
  await quiet();
  expect(patches).toEqual([]);
  statuses.take(tableOfSet(wantedSet("True")), "live");
  await vi.waitFor(() => expect(setConditions(statusOf(setKey))).toEqual(["Accepted True", "Programmed True"]), soon);
  expect(statusOf(setKey)).toMatchObject({ listeners: [{ name: "http", attachedRoutes: 2 }] });
  bring();
  serve(Table.empty());
  const begun = ["Accepted Unknown", "Programmed Unknown"];
  await vi.waitFor(() => expect(setConditions(statusOf(setKey))).toEqual(begun), soon);
  expect(statusOf(setKey)).toMatchObject({ listeners: [] });
});

test("a ListenerSet that another controller has taken over gets no more writes", async () => {
  const { serve, lead, statusOf, bring, put, patches } = server(setWith());
  lead();
  serve(tableOfSet(wantedSet("False")));
  await vi.waitFor(() => expect(setConditions(statusOf(setKey))).toEqual(["Accepted False", "Programmed False"]), soon);
  serve(Table.empty());
  put(setWith({ conditions: [{ ...condition("Accepted"), message: "theirs", observedGeneration: 3 }] }));
  bring();
  await quiet();
  expect(setConditions(statusOf(setKey))).toEqual(["Accepted True"]);
  expect(patches).toHaveLength(1);
});

test("a Gateway without its class gets its initial conditions back, unless another controller has written them", async () => {
  const had = [{ type: "IPAddress", value: "192.0.2.1" }];
  const gatewayWith = (status: object = {}): Stored => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata,
    status: { ...status },
  });
  const wanted: DesiredStatus = {
    kind: "Gateway",
    object: gatewayWith(),
    conditions: [condition("Accepted"), condition("Programmed"), condition("ResolvedRefs")],
    addresses: had,
    listeners: [{ name: "http", supportedKinds: [], attachedRoutes: 2, conditions: [condition("Accepted")] }],
    attachedListenerSets: 0,
  };
  const gatewayKey = "Gateway shop/web" as const;
  const { serve, lead, statusOf, bring, put, patches } = server(gatewayWith());
  const conditionsNow = () => setConditions(statusOf(gatewayKey));
  const all = ["Accepted True", "Programmed True", "ResolvedRefs True"];
  lead();
  serve(table(wanted));
  await vi.waitFor(() => expect(conditionsNow()).toEqual(all), soon);
  bring();
  serve(Table.empty());
  await vi.waitFor(() => expect(conditionsNow()).toEqual(["Accepted Unknown", "Programmed Unknown"]), soon);
  expect(statusOf(gatewayKey)).toMatchObject({ listeners: [], addresses: had });
  bring();
  serve(table(wanted));
  await vi.waitFor(() => expect(conditionsNow()).toEqual(all), soon);
  put(gatewayWith({ conditions: [{ ...condition("Accepted"), message: "theirs", observedGeneration: 3 }] }));
  serve(Table.empty());
  bring();
  await quiet();
  expect(conditionsNow()).toEqual(["Accepted True"]);
  expect(patches).toHaveLength(3);
});

test("a condition about a later generation than the known one stays", async () => {
  const later = { ...condition("Accepted"), observedGeneration: 4, lastTransitionTime: "2026-01-01T00:00:00Z" };
  const entry = { parentRef: { name: "public" }, controllerName: ours, conditions: [later] };
  const { serve, lead, patches, statusOf } = server(routeWith([entry]));
  lead();
  serve(table(wantedRoute("False")));
  await quiet();
  expect(patches).toEqual([]);
  const next = { ...routeWith([entry]), metadata: { ...metadata, generation: 4 } };
  serve(table(wantedRoute("False", next)));
  await vi.waitFor(() => expect(acceptedIn(statusOf(key))).toEqual(["False"]), soon);
});

test("a Gateway with the addresses of Ingresses gets them when they are known, and keeps its former ones until then", async () => {
  const had = [{ type: "IPAddress", value: "192.0.2.1" }];
  const { statuses, serve, lead, statusOf } = server({
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata },
    status: { addresses: had },
  });
  const object = { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata };
  const conditions = [condition("Programmed")];
  lead();
  serve(
    table({
      ...{ kind: "Gateway", object, conditions, addresses: [], hasIngressAddresses: true },
      ...{ listeners: [], attachedListenerSets: 0 },
    }),
  );
  const gatewayStatus = () => statusOf("Gateway shop/web");
  await vi.waitFor(() => expect(gatewayStatus()).toHaveProperty("conditions"), soon);
  expect(gatewayStatus()).toMatchObject({ addresses: had });
  statuses.foundIngressAddresses([{ ip: "192.0.2.2" }, { hostname: "lb.example" }]);
  const found = [
    { type: "IPAddress", value: "192.0.2.2" },
    { type: "Hostname", value: "lb.example" },
  ];
  await vi.waitFor(() => expect(gatewayStatus()).toMatchObject({ addresses: found }), soon);
});
