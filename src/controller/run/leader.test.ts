import { expect, test } from "vitest";
import { systemClock } from "../../base/timing/clock.ts";
import type { Ingress, KubernetesObject } from "../../core/model/objects.ts";
import type { Log } from "../../edges/log/log.ts";
import { failed, failureFromStatus, succeeded } from "../../kube/answer.ts";
import type { Client, Resource } from "../../kube/index.ts";
import { parseFlags } from "../flags/parse.ts";
import { standForElection } from "./leadership.ts";
import { UnansweredWrites } from "./unanswered-writes.ts";

const ingress: Ingress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { namespace: "shop", name: "web", resourceVersion: "1" },
};
const own = { name: { namespace: "ingress-nginx", name: "controller-0" }, labels: { app: "sluice" } };

/**
 * An API server with one Ingress, one Pod and no Lease. A write to the Ingress waits until the test
 * lets it through.
 */
function server() {
  const asked: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const permitted = Promise.withResolvers<void>();
  let stored = ingress;
  const client = {
    async get({ kind }: Resource<KubernetesObject>) {
      asked.push(`get ${kind}`);
      return kind === "Ingress" ? succeeded(stored) : failed(failureFromStatus(404, {}));
    },
    async create(_of: unknown, object: KubernetesObject) {
      return succeeded(object);
    },
    async update({ kind }: Resource<KubernetesObject>, object: Ingress) {
      asked.push(`update ${kind}`);
      if (kind !== "Ingress") return succeeded(object);
      arrived.resolve();
      await permitted.promise;
      stored = object;
      return succeeded(object);
    },
    async list() {
      return succeeded({ items: [{}], resourceVersion: "1", continue: "" });
    },
  } as unknown as Client;
  return { client, asked, arrived: arrived.promise, carryOut: () => permitted.resolve(), stored: () => stored };
}

test("a running write of the status ends before the status is cleared, even if the cache does not have it yet", async () => {
  const api = server();
  const parsed = parseFlags(["--publish-status-address=192.0.2.1"], "run");
  if (parsed.kind !== "flags") throw new Error(parsed.kind);
  const log = { info: () => {}, warn: () => {}, debug: () => {} } as unknown as Log;
  const leader = standForElection({
    client: api.client,
    flags: parsed.flags,
    own,
    clock: systemClock,
    random: () => 0,
    log,
    writes: new UnansweredWrites(),
    ingresses: () => [ingress],
    changed: () => [],
    isWhole: () => false,
    onChange: () => () => {},
    elected: () => {},
    serviceIngresses: undefined,
    keepGateways: async () => {},
  });
  await api.arrived;
  const stopped = leader.stop(60_000);
  for (let i = 0; i < 100; i += 1) await new Promise(setImmediate);
  const about = () => api.asked.filter((one) => one.endsWith("Ingress"));
  expect(about()).toEqual(["get Ingress", "update Ingress"]);
  api.carryOut();
  await stopped;
  expect(about()).toEqual(["get Ingress", "update Ingress", "get Ingress", "update Ingress"]);
  expect(api.stored().status?.loadBalancer).toEqual({});
});
