/**
 * Two Services whose names and namespaces make one host: one of them has it, the other one gets
 * an Event, and neither takes it from the other.
 */
import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { base, put } from "../../../test/support/sketch.ts";
import { type Ingress, type KubernetesObject, keyOf, type ObjectMeta, type Service } from "../../core/model/objects.ts";
import { type Snapshot, type WatchedKind, withObjects } from "../../core/model/snapshot.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { succeeded } from "../../kube/answer.ts";
import type { Client } from "../../kube/index.ts";
import { keepServiceIngresses } from "./keep.ts";

const service = (namespace: string, name: string, created: string): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: {
    ...{ namespace, name, uid: `${namespace}/${name}`, creationTimestamp: created },
    annotations: { "ingress/http": "true" },
  },
  spec: { ports: [{ port: 80 }] },
});

/** Runs the feature on a cluster that creates Ingresses at the times given. */
function setUp(hostPattern: string, ...objects: readonly KubernetesObject[]) {
  let snapshot: Snapshot = put(base, ...objects);
  const clock = new FakeClock();
  const listeners = new Set<() => void>();
  const events: string[] = [];
  const set = (kind: string, key: string, object: KubernetesObject | undefined) => {
    snapshot = withObjects(snapshot, [{ kind: kind as WatchedKind, key, object }]);
    for (const listener of listeners) listener();
  };
  let day = 1;
  const client = {
    create: async (_of: unknown, object: Ingress) => {
      const creationTimestamp = `2026-02-0${day++}T00:00:00Z`;
      set("Ingress", keyOf(object), { ...object, metadata: { ...object.metadata, creationTimestamp } } as Ingress);
      return succeeded(undefined as never);
    },
    delete: async (_of: unknown, metadata: ObjectMeta) => {
      set("Ingress", `${metadata.namespace}/${metadata.name}`, undefined);
      return succeeded(undefined as never);
    },
  } as unknown as Client;
  void keepServiceIngresses(
    {
      ...{ client, clock, accept: defaultOptions, hostPattern, snapshot: () => snapshot },
      onChange: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      say: (about, _type, reason, message) => events.push(`${keyOf(about)} ${reason}: ${message}`),
    },
    { lost: new AbortController().signal, holds: () => true },
    new AbortController().signal,
  );
  const hosts = () => [...snapshot.ingresses].map(([key, { spec }]) => `${key} ${spec?.rules?.[0]?.host}`).toSorted();
  const change = (one: KubernetesObject) => set(one.kind, keyOf(one), one);
  const remove = (one: KubernetesObject) => set(one.kind, keyOf(one), undefined);
  return { clock, events, hosts, change, remove };
}

const pattern = "{service}-{namespace}.example.com";
const old = service("a", "x-shop", "2025-01-01T00:00:00Z");
const young = service("shop-a", "x", "2025-06-01T00:00:00Z");
const taken =
  "HostTaken: a Service of another namespace has host x-shop-a.example.com by --service-ingress-host; it gets no Ingress";

test("of two Services with one host the oldest gets it, whatever their order, and the other one an Event", async () => {
  for (const order of [
    [old, young],
    [young, old],
  ]) {
    const { clock, hosts, events } = setUp(pattern, ...order);
    await clock.advance(0);
    expect(hosts()).toEqual(["a/x-shop x-shop-a.example.com"]);
    expect(new Set(events.filter((one) => one.startsWith("shop-a/x ")))).toEqual(new Set([`shop-a/x ${taken}`]));
  }
});

test("a Service that already has the host keeps it beside an older one, and leaves it when it is deleted", async () => {
  const { clock, hosts, events, change, remove } = setUp(pattern, young);
  await clock.advance(0);
  change(old);
  await clock.advance(0);
  expect(hosts()).toEqual(["shop-a/x x-shop-a.example.com"]);
  expect(events.at(-1)).toBe(`a/x-shop ${taken}`);
  remove({ ...young, kind: "Ingress" } as KubernetesObject);
  remove(young);
  await clock.advance(0);
  expect(hosts()).toEqual(["a/x-shop x-shop-a.example.com"]);
});

test("two Ingresses for one host, which an older version made, become the one that is older", async () => {
  const made = ({ metadata: { namespace, name, uid } }: Service, created: string) =>
    ({
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: {
        ...{ namespace, name, creationTimestamp: created },
        labels: { "app.kubernetes.io/managed-by": "sluice-service-ingress" },
        ownerReferences: [{ apiVersion: "v1", kind: "Service", name, uid: uid!, controller: true }],
      },
      spec: {
        ingressClassName: "nginx",
        rules: [
          {
            host: "x-shop-a.example.com",
            http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name, port: { number: 80 } } } }] },
          },
        ],
      },
    }) as Ingress;
  const { clock, hosts, events } = setUp(pattern, old, young, made(old, "2026-01-02"), made(young, "2026-01-01"));
  await clock.advance(0);
  expect(hosts()).toEqual(["shop-a/x x-shop-a.example.com"]);
  expect(events).toContain("a/x-shop IngressDeleted: Ingress a/x-shop was deleted: its host is taken");
});

test("a pattern without the namespace gives a host to one namespace alone", async () => {
  const { clock, hosts } = setUp(
    "{service}.example.com",
    service("b", "web", "2025-02-01"),
    service("a", "web", "2025-01-01"),
  );
  await clock.advance(0);
  expect(hosts()).toEqual(["a/web web.example.com"]);
});

test("a name with a placeholder in it is not filled in twice", async () => {
  const { clock, hosts } = setUp(pattern, service("ns", "{namespace}", "2025-01-01"));
  await clock.advance(0);
  expect(hosts()).toEqual(["ns/{namespace} {namespace}-ns.example.com"]);
});
