import { expect, test } from "vitest";
import { FakeApi } from "../../../test/support/fake-api.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import { failed, failureFromStatus, succeeded } from "../../kube/answer.ts";
import type { Client, ObjectName, Resource } from "../../kube/index.ts";
import { addressSource, hasCompany } from "./sources.ts";

const never = new AbortController().signal;
const own = { name: { namespace: "ingress", name: "one" }, labels: { app: "sluice", "pod-template-hash": "a" } };
const nothing = { publishStatusAddress: undefined, publishService: undefined, reportNodeInternalIpAddress: false };

const node = (name: string, address: string): KubernetesObject =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    status: { addresses: [{ type: "InternalIP", address }] },
  }) as never;

const pod = (
  name: string,
  nodeName: string,
  { hash = "a", phase = "Running", ready = "True", namespace = "ingress" } = {},
) =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name, labels: { app: "sluice", "pod-template-hash": hash } },
    spec: { nodeName },
    status: { phase, conditions: [{ type: "Ready", status: ready }] },
  }) as KubernetesObject;

/** Returns an API server with these objects. */
function reader(...objects: readonly KubernetesObject[]) {
  const api = new FakeApi();
  api.put(...objects);
  return {
    list: api.list.bind(api),
    async get(of: Resource<KubernetesObject>, { namespace, name }: ObjectName) {
      const answer = await api.list(of, namespace === undefined ? {} : { namespace });
      const found = answer.ok ? answer.value.items.find(({ metadata }) => metadata.name === name) : undefined;
      return found ? succeeded(found) : failed(failureFromStatus(404, {}));
    },
  } as unknown as Pick<Client, "get" | "list">;
}

const read = async (source: ReturnType<typeof addressSource>) => {
  const answer = await source(never);
  return answer.ok ? answer.value : answer.failure.code;
};

test("--publish-status-address comes before all other sources", async () => {
  const flags = { ...nothing, publishStatusAddress: ["edge.example", "192.0.2.1"], publishService: "a/b" };
  expect(await read(addressSource(reader(), flags, own))).toEqual([{ ip: "192.0.2.1" }, { hostname: "edge.example" }]);
});

test("--publish-service is read each time, and a missing Service is a failure", async () => {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "a", name: "b" },
    spec: { clusterIP: "10.96.0.9" },
  };
  expect(await read(addressSource(reader(service), { ...nothing, publishService: "a/b" }, own))).toEqual([
    { ip: "10.96.0.9" },
  ]);
  expect(await read(addressSource(reader(), { ...nothing, publishService: "a/b" }, own))).toBe(404);
});

test("without a flag the addresses are those of the Nodes with ready Pods that have the same labels", async () => {
  const client = reader(
    ...["1", "2", "3", "4", "5"].map((number) => node(`n${number}`, `10.0.0.${number}`)),
    pod("one", "n1"),
    pod("two", "n2"),
    pod("twin", "n2"),
    pod("pending", "n3", { phase: "Pending" }),
    pod("failing", "n4", { ready: "False" }),
    pod("older", "n5", { hash: "b" }),
    pod("far", "n5", { namespace: "elsewhere" }),
    pod("lost", "gone"),
  );
  expect(await read(addressSource(client, nothing, own))).toEqual([{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }]);
});

test("a Pod of another version, even a pending one, counts as another controller", async () => {
  expect(await hasCompany(reader(pod("one", "n1")), own, never)).toEqual(succeeded(false));
  const older = pod("older", "n2", { hash: "b", phase: "Pending" });
  expect(await hasCompany(reader(pod("one", "n1"), older), own, never)).toEqual(succeeded(true));
});
