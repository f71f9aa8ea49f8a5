/**
 * Tests the writer with an API server in memory: which objects it writes, which it leaves
 * unchanged, and which a new leader finds.
 */
import { afterEach, expect, test } from "vitest";
import { FakeApi } from "../../../test/support/fake-api.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { gateway, gatewayClass } from "../../../test/support/gateways.ts";
import { fake, put } from "../../../test/support/sketch.ts";
import type { Gateway } from "../../core/model/gateway/objects.ts";
import type { ConfigMap, EndpointSlice, KubernetesObject, Service } from "../../core/model/objects.ts";
import { emptySnapshot, tableOf } from "../../core/model/snapshot.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { translate } from "../../core/table/translator.ts";
import { emptyInputs } from "../../core/table/turn.ts";
import { type Answer, failed, failureFromStatus, succeeded } from "../../kube/answer.ts";
import type { Client, ObjectName, Patch, Resource } from "../../kube/index.ts";
import type { Pod } from "../resources.ts";
import { GatewayServices } from "./keep.ts";

const services = { ports: [20_000, 20_001, 20_002], prefixes: [], record: "sluice/ports" };
const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, services } };
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const nameOf = (kind: string, { namespace, name }: ObjectName) => `${kind} ${namespace ? `${namespace}/` : ""}${name}`;

/**
 * An API server that has one version of each object and refuses a write that names another version.
 */
class WritableApi extends FakeApi {
  readonly stored = new Map<string, KubernetesObject>();
  readonly writes: string[] = [];
  /** Answers that come only when the promise has resolved, by verb and object. */
  readonly late = new Map<string, Promise<void>>();
  #version = 1_000;

  set(object: KubernetesObject): KubernetesObject {
    const called = nameOf(object.kind, object.metadata);
    this.#version += 1;
    const uid = object.metadata.uid ?? `${called} ${this.#version}`;
    const next = { ...object, metadata: { ...object.metadata, uid, resourceVersion: `${this.#version}` } };
    this.stored.set(called, next);
    if (object.kind === "Pod") this.put(next);
    return next;
  }

  client(): Client {
    const found = (kind: string, name: ObjectName): Answer<KubernetesObject> => {
      const one = this.stored.get(nameOf(kind, name));
      return one ? succeeded(one) : failed(failureFromStatus(404, {}));
    };
    const write = (
      verb: string,
      kind: string,
      name: ObjectName,
      change: (now: KubernetesObject) => KubernetesObject,
    ) => {
      const now = found(kind, name);
      if (!now.ok) return now;
      const next = change(now.value);
      const isOld = next.metadata.resourceVersion !== now.value.metadata.resourceVersion;
      if (isOld) return failed(failureFromStatus(409, {}));
      this.writes.push(`${verb} ${nameOf(kind, name)}`);
      return succeeded(this.set(next));
    };
    return {
      list: this.list.bind(this),
      watch: this.watch.bind(this),
      get: async (of: Resource<KubernetesObject>, name: ObjectName) => {
        await this.late.get(`get ${nameOf(of.kind, name)}`);
        return found(of.kind, name);
      },
      create: async (of: Resource<KubernetesObject>, object: KubernetesObject) => {
        if (found(of.kind, object.metadata).ok) return failed(failureFromStatus(409, {}));
        this.writes.push(`create ${nameOf(of.kind, object.metadata)}`);
        return succeeded(this.set(object));
      },
      update: async (of: Resource<KubernetesObject>, object: KubernetesObject) => {
        const answer = write("update", of.kind, object.metadata, () => object);
        await this.late.get(`update ${nameOf(of.kind, object.metadata)}`);
        return answer;
      },
      patch: async (of: Resource<KubernetesObject>, name: ObjectName, { body }: Patch) =>
        write("patch", of.kind, name, (now) => merged(now, body) as KubernetesObject),
      delete: async (of: Resource<KubernetesObject>, name: ObjectName) => {
        this.writes.push(`delete ${nameOf(of.kind, name)}`);
        this.stored.delete(nameOf(of.kind, name));
        return succeeded(undefined);
      },
    } as unknown as Client;
  }
}

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as object) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

const pod = (name: string, ip: string, ready = true): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "sluice", name, labels: { app: "sluice" } },
  status: {
    phase: "Running",
    podIPs: [{ ip }],
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
  },
});

/** Sets up a cluster with a leader, whose watches deliver at once. */
async function setUp(api = new WritableApi()) {
  const clock = new FakeClock();
  const events: string[] = [];
  const failures: string[] = [];
  const listeners = new Set<() => void>();
  const seen = () => put(emptySnapshot, ...[...api.stored.values()].filter(({ kind }) => kind in tableOf));
  let snapshot = seen();
  const writer = new GatewayServices({
    client: api.client(),
    controllerName: options.gateway.controllerName,
    ports: services.ports,
    record: services.record,
    snapshot: () => snapshot,
    newest: (kind, key) => api.stored.get(`${kind} ${key}`),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clock,
    random: () => 0,
    say: (about, _type, reason) => events.push(`${reason} ${about.metadata.name}`),
    failed: (object, { message }) => failures.push(`${object}: ${message}`),
    watched: () => {},
  });
  const lost = new AbortController();
  const stop = new AbortController();
  stops.push(() => lost.abort());
  const term = { lost: lost.signal, holds: () => !lost.signal.aborted };
  const own = { namespace: "sluice", name: "pod-1", selector: { labelSelector: "app=sluice" } };
  const running = writer.keep(term, stop.signal, own);
  /** Lets the watches deliver everything, runs a turn, and waits for the writer. */
  const settle = async () => {
    for (let round = 0; round < 6; round += 1) {
      snapshot = seen();
      for (const listener of listeners) listener();
      writer.take(translate({ ...emptyInputs, snapshot }, options, fake).statuses);
      await clock.advance(0);
    }
  };
  const set = async (...objects: readonly KubernetesObject[]) => {
    for (const object of objects) api.set(object);
    await settle();
  };
  const remove = async (...called: readonly string[]) => {
    for (const one of called) api.stored.delete(one);
    await settle();
  };
  return {
    ...{ api, clock, events, failures, stop, lost, running, set, remove, settle },
    writes: () => api.writes.splice(0),
    service: (name = "gw") => api.stored.get(`Service ns/${name}-sluice`) as Service | undefined,
    slice: (name = "gw") => api.stored.get(`EndpointSlice ns/${name}-sluice-ipv4`) as EndpointSlice | undefined,
    record: () => (api.stored.get("ConfigMap sluice/ports") as ConfigMap | undefined)?.data ?? {},
  };
}

const targets = (service: Service | undefined) => service?.spec?.ports?.map(({ targetPort }) => targetPort);
const world = [gatewayClass(), pod("pod-1", "10.0.0.1"), pod("pod-2", "10.0.0.2")];

test("the record is written first, then the Service, then its slice, and each of them once", async () => {
  const { set, settle, writes, service, slice, events, failures } = await setUp();
  await set(...world, gateway({}));
  const made = ["create ConfigMap sluice/ports", "create Service ns/gw-sluice"];
  const all = writes();
  expect(all.slice(0, 3)).toEqual([...made, "create EndpointSlice ns/gw-sluice-ipv4"]);
  expect(new Set(all).size).toBe(all.length);
  expect(targets(service())).toEqual([20_000]);
  expect(slice()?.endpoints?.map(({ addresses }) => addresses[0])).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(slice()?.ports).toEqual([{ name: "port-80", port: 20_000, protocol: "TCP" }]);
  await settle();
  expect([writes(), events, failures]).toEqual([[], ["ServiceCreated gw"], []]);
});

test("a new leader keeps all ports, with and without the record, and writes nothing that is right already", async () => {
  const first = await setUp();
  await first.set(...world, gateway({}), gateway({ name: "two", age: 1 }));
  const before = [targets(first.service()), targets(first.service("two"))];
  first.lost.abort();
  await first.running;
  first.writes();
  const second = await setUp(first.api);
  await second.settle();
  expect(second.writes()).toEqual([]);
  second.lost.abort();
  await second.running;
  first.api.stored.delete("ConfigMap sluice/ports");
  const third = await setUp(first.api);
  await third.settle();
  expect(third.writes()).toEqual(["create ConfigMap sluice/ports"]);
  expect([targets(third.service()), targets(third.service("two"))]).toEqual(before);
});

test("where two Services name one port, the older Gateway keeps it, and the other one gets an Event", async () => {
  const first = await setUp();
  await first.set(...world, gateway({ name: "old", age: 9 }), gateway({ name: "young", age: 1 }));
  first.lost.abort();
  await first.running;
  first.api.stored.delete("ConfigMap sluice/ports");
  const young = first.service("young")!;
  const ports = [{ ...young.spec!.ports![0]!, targetPort: targets(first.service("old"))![0]! }];
  first.api.set({ ...young, spec: { ...young.spec, ports } } as Service);
  const second = await setUp(first.api);
  await second.settle();
  expect(targets(second.service("old"))).toEqual([20_000]);
  expect(targets(second.service("young"))).toEqual([20_001]);
  expect(second.events).toContain("TargetPortChanged young");
});

test("an edit that takes another Gateway's port is reverted and moves no port", async () => {
  const { set, service, slice, events, record } = await setUp();
  await set(...world, gateway({ name: "thief", age: 9 }), gateway({ name: "victim", age: 1 }));
  const [before, thief] = [record(), service("thief")!];
  const ports = [{ ...thief.spec!.ports![0]!, targetPort: targets(service("victim"))![0]! }];
  await set({
    ...thief,
    spec: { ...thief.spec, ports, externalIPs: ["192.0.2.1"], selector: { app: "x" } },
  } as Service);
  expect(record()).toEqual(before);
  expect(targets(service("thief"))).toEqual(targets(thief));
  expect(service("thief")?.spec).not.toHaveProperty("externalIPs");
  expect(service("thief")?.spec).not.toHaveProperty("selector");
  expect(slice("thief")?.ports?.[0]?.port).toBe(targets(thief)![0]);
  expect(events).toContain("ServiceCorrected thief");
});

test("a deleted Service or slice is written again with its ports", async () => {
  const { set, remove, service, slice, events } = await setUp();
  await set(...world, gateway({}));
  await remove("Service ns/gw-sluice", "EndpointSlice ns/gw-sluice-ipv4");
  expect(targets(service())).toEqual([20_000]);
  expect(slice()?.metadata.ownerReferences?.[0]?.uid).toBe(service()?.metadata.uid);
  expect(events).toEqual(["ServiceCreated gw", "ServiceCorrected gw"]);
});

test("a Gateway that appears during an allocation gets a Service, whichever answer arrives first", async () => {
  const { set, settle, remove, api, clock, service } = await setUp();
  await set(...world, gateway({ name: "former" }));
  const [asked, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  api.late.set("get Service ns/former-sluice", asked.promise);
  api.late.set("update ConfigMap sluice/ports", stored.promise);
  api.stored.delete("Service ns/former-sluice");
  await remove("Gateway ns/former");
  // Meanwhile the writer reads the port's former Service.
  await set(gateway({ name: "two" }));
  asked.resolve();
  // A turn knows the new ports from the watch before the writer gets its answer.
  await settle();
  expect(service("two")).toBeUndefined();
  stored.resolve();
  await clock.advance(0);
  expect(targets(service("two"))).toEqual([20_001]);
});

test("Services and slices of others are never written", async () => {
  const { set, writes } = await setUp();
  const foreign = {
    ...gateway({}),
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "ns", name: "gw-sluice" },
  };
  await set(...world, { ...foreign, spec: { ports: [{ port: 1 }] } } as Service, gateway({}));
  expect(writes()).toEqual(["create ConfigMap sluice/ports"]);
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "ns", name: "two-sluice-ipv4", labels: { "kubernetes.io/service-name": "two-sluice" } },
  };
  await set(slice, gateway({ name: "two" }));
  expect(writes()).toEqual(["update ConfigMap sluice/ports", "create Service ns/two-sluice"]);
});

test("a port of a deleted Gateway counts as freed when its Service is gone, and not before", async () => {
  const { set, remove, record, settle, clock, api } = await setUp();
  await set(...world, gateway({}));
  await remove("Gateway ns/gw");
  expect(record()["20000"]).toContain("used");
  api.stored.delete("EndpointSlice ns/gw-sluice-ipv4");
  await remove("Service ns/gw-sluice");
  await clock.advance(60_000);
  await settle();
  expect(record()["20000"]).toContain("freed");
});

test("the port of a removed listener counts as freed when neither its Service nor its slice names it", async () => {
  const { set, record, service, slice } = await setUp();
  const two = [80, 81].map((port) => ({ name: `http-${port}`, port, protocol: "HTTP" }));
  await set(...world, gateway({ listeners: two }));
  expect(targets(service())).toEqual([20_000, 20_001]);
  await set(gateway({ listeners: two.slice(0, 1) }));
  expect(targets(service())).toEqual([20_000]);
  expect(slice()?.ports?.map(({ port }) => port)).toEqual([20_000]);
  expect(record()["20001"]).toContain("freed");
});

test("the Service of a Gateway of another controller is deleted, and it stays while the class is missing", async () => {
  const { set, remove, writes, service, events } = await setUp();
  await set(...world, gateway({}));
  writes();
  await remove("GatewayClass sluice");
  expect([writes(), targets(service())]).toEqual([[], [20_000]]);
  await set(gatewayClass("sluice", "other.example/controller"));
  expect(writes().slice(0, 2)).toEqual(["delete EndpointSlice ns/gw-sluice-ipv4", "delete Service ns/gw-sluice"]);
  expect(events).toContain("ServiceDeleted gw");
});

test("nothing is deleted while not all Gateways are known", async () => {
  const { set, remove, writes, service } = await setUp();
  await set(...world, gateway({}));
  writes();
  await remove("Gateway ns/gw", "GatewayClass sluice");
  expect([writes(), targets(service())]).toEqual([[], [20_000]]);
});

test("a Pod that is not ready leaves the slices, and a leader that stops removes its own endpoint", async () => {
  const { set, slice, stop, running } = await setUp();
  await set(...world, pod("pod-3", "10.0.0.3"), gateway({}));
  await set(pod("pod-2", "10.0.0.2", false));
  const ready = () =>
    slice()
      ?.endpoints?.filter(({ conditions }) => conditions?.ready)
      .map(({ addresses }) => addresses[0]);
  expect(ready()).toEqual(["10.0.0.1", "10.0.0.3"]);
  stop.abort();
  await running;
  expect(ready()).toEqual(["10.0.0.3"]);
});

test("with unreadable parameters no Service is made, and an existing one stays", async () => {
  const parameters = (data: Record<string, string>): ConfigMap => {
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "ns", name: "p" }, data };
  };
  const infrastructure = { parametersRef: { group: "", kind: "ConfigMap", name: "p" } };
  const one = gateway({ spec: { infrastructure } as Gateway["spec"] });
  const { set, service } = await setUp();
  await set(...world, one, parameters({ serviceType: "Everything" }));
  expect(service()).toBeUndefined();
  await set(parameters({ serviceType: "ClusterIP" }));
  expect(service()?.spec?.type).toBe("ClusterIP");
  await set(parameters({ serviceType: "ClusterIP", what: "is this" }));
  expect(service()?.spec?.type).toBe("ClusterIP");
});

test("after another process wrote the record first, it is read again and no port moves", async () => {
  const { set, api, record, service } = await setUp();
  await set(...world);
  api.set({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "sluice", name: "ports" },
    data: { "20000": "used other/gw 80/TCP someone" },
  } as ConfigMap);
  api.set({
    ...gateway({}),
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      namespace: "other",
      name: "gw",
      ownerReferences: [{ apiVersion: "x", kind: "y", name: "z", uid: "someone" }],
    },
  } as unknown as Service);
  await set(gateway({}));
  expect(record()["20000"]).toContain("someone");
  expect(targets(service())).toEqual([20_001]);
});
