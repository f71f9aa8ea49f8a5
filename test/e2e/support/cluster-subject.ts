/**
 * The controller with the interface of the parity cases and a real API server: objects of a case
 * pass through admission and the informers. Creation timestamps are the server's, a second fine, so
 * an Ingress that must be younger waits for the next second. The state of the sync alone is not
 * enough for `settled`, because a change may still be on its way: one object of each kind is
 * written last, and each watch is in order.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { translateOptions } from "../../../src/controller/flags/options.ts";
import { type KubernetesObject, keyOf, type Service } from "../../../src/core/model/objects.ts";
import { tableOf, type WatchedKind } from "../../../src/core/model/snapshot.ts";
import type { Table } from "../../../src/core/model/table.ts";
import { type Cluster as Kept, openCluster } from "../../../src/edges/cluster/cluster.ts";
import * as resources from "../../../src/edges/resources.ts";
import { type ApiFailure, Client, kubeConfigCredentials, type Resource } from "../../../src/kube/index.ts";
import { until } from "../../nginx/support/until.ts";
import { flagsOf, type StartSubject, startOn } from "../../parity/subject.ts";
import { isRefusal } from "../../support/api-failures.ts";
import type { Cluster } from "./cluster.ts";

const never = new AbortController().signal;
const byKind = new Map(
  Object.values(resources)
    .filter((one) => typeof one === "object")
    .map((one) => [one.kind, one as Resource<KubernetesObject>]),
);

export function clusterSubject(cluster: Cluster): StartSubject {
  return async ({ mode, flags: given, objects, onProblems = () => {} }) => {
    const client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
    const writer = new Writer(client);
    for (const object of objects) await writer.put(object);
    await writer.putSentinels();

    const stop = new AbortController();
    const flags = flagsOf(mode, given);
    const { annotationsPrefix, configMap: settings } = translateOptions(flags, "run", undefined);
    const named = { settings, configMaps: [], secrets: [], services: [] };
    const everywhere = { watchNamespace: undefined, watchNamespaceSelector: undefined, named, annotationsPrefix };
    const options = { ...everywhere, clock: systemClock, random: Math.random, report: () => {} };
    const source = openCluster(client, options, stop.signal);
    const root = mkdtempSync(join(tmpdir(), "subject-"));
    await source.synced;
    const controller = await startOn(source, root, flags, onProblems);
    return {
      apply: async (some) => {
        const refused: string[] = [];
        for (const object of some) refused.push(...(await writer.put(object)));
        return refused;
      },
      remove: async (some) => {
        for (const object of some) await writer.remove(object);
      },
      settled: async () => {
        await writer.putSentinels();
        await until("every watch has brought its last change", () => writer.sentinelsAreIn(source), 30_000);
        await controller.sync.settled();
      },
      stop: async () => {
        await controller.stop(1_000);
        stop.abort();
        await source.ended;
        client.close();
        rmSync(root, { recursive: true });
      },
    };
  };
}

class Writer {
  readonly #client: Client;
  #turn = 0;
  #youngest = "";

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Creates or replaces an object. Returns a line when the API server refuses it. A busy server may
   * also fail without a refusal, such as while it allocates an IP address, and the request is
   * repeated then.
   */
  async put(object: KubernetesObject): Promise<readonly string[]> {
    const of = byKind.get(object.kind);
    if (of === undefined) throw new Error(`no resource is known for ${object.kind}`);
    const { uid, resourceVersion, creationTimestamp, generation, ...metadata } = object.metadata;
    if (object.kind === "Ingress") await this.#beYounger(creationTimestamp ?? "");
    const own = withoutServiceAddress({ ...object, metadata });
    const line = ({ code, message }: ApiFailure) => `${object.kind} ${metadata.name}: ${code} ${message}`;
    let last: ApiFailure | undefined;
    const answer = await until(
      () => `no answer of the API server but ${last && line(last)}`,
      async () => {
        const created = await this.#client.create(of, own, never);
        const isThere = !created.ok && created.failure.code === 409;
        const written = isThere ? await this.#client.update(of, own, never) : created;
        if (written.ok || isRefusal(written.failure)) return written;
        last = written.failure;
        return undefined;
      },
    );
    return answer.ok ? [] : [line(answer.failure)];
  }

  /**
   * Deletes an object. Namespaces are kept, because no controller here would finish their deletion.
   */
  async remove({ kind, metadata }: KubernetesObject): Promise<void> {
    const of = byKind.get(kind);
    if (of === undefined || kind === "Namespace") return;
    await until(`${kind} ${metadata.name} is deleted`, async () => {
      const deleted = await this.#client.delete(of, metadata, never);
      return deleted.ok || deleted.failure.code === 404;
    });
  }

  async putSentinels(): Promise<void> {
    this.#turn += 1;
    for (const sentinel of sentinels) {
      await this.put({ ...sentinel, metadata: { ...sentinel.metadata, labels: { turn: `${this.#turn}` } } });
    }
  }

  sentinelsAreIn(source: Kept): boolean {
    return sentinels.every((sentinel) => {
      const table = source.snapshot()[tableOf[sentinel.kind as WatchedKind]] as Table<KubernetesObject>;
      return table.get(keyOf(sentinel))?.metadata.labels?.turn === `${this.#turn}`;
    });
  }

  /** Waits for the next second if the case wants this Ingress younger than the one before. */
  async #beYounger(creationTimestamp: string): Promise<void> {
    if (this.#youngest !== "" && creationTimestamp > this.#youngest) await delay(1_000 - (Date.now() % 1_000) + 5);
    this.#youngest = creationTimestamp;
  }
}

/**
 * Leaves out the address that the fake API server gave a Service, so that the real one allocates
 * it. The real one may already have given the same address to another Service.
 */
function withoutServiceAddress(object: KubernetesObject): KubernetesObject {
  if (object.kind !== "Service") return object;
  const { clusterIP, clusterIPs, ...spec } = (object as Service).spec ?? {};
  return clusterIP === "None" ? object : ({ ...object, spec } as Service);
}

/**
 * The last objects have no effect: no controller has the class of the Ingress, which only refers to
 * the Secret and the ConfigMap.
 */
const place = { namespace: "sentinel", name: "last" };
const sentinels: readonly KubernetesObject[] = [
  { apiVersion: "v1", kind: "Secret", metadata: place },
  { apiVersion: "v1", kind: "ConfigMap", metadata: place },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "last" },
    spec: { controller: "example.com/nobody" },
  },
  { apiVersion: "v1", kind: "Service", metadata: place, spec: { ports: [{ port: 80 }] } },
  { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: place, addressType: "IPv4", endpoints: [] },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { ...place, annotations: { "nginx.ingress.kubernetes.io/sentinel": "last" } },
    spec: {
      ingressClassName: "nobody",
      defaultBackend: { service: { name: "none", port: { number: 80 } } },
      tls: [{ secretName: "last" }],
    },
  },
] as readonly KubernetesObject[];
