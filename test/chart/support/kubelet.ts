/**
 * Stands in for scheduler and kubelet: puts every Pod on one Node, marks it as running and ready,
 * and deletes Pods that should go. `start` is called for each Pod to run its program, and returns a
 * function that stops it. The logs of a Pod are its output.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { Client, kubeConfigCredentials, resource, type WatchEvent } from "../../../src/kube/index.ts";
import { issueServer } from "../../e2e/support/authority.ts";
import type { Cluster } from "../../e2e/support/cluster.ts";

export interface Pod extends KubernetesObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly serviceAccountName?: string;
    readonly containers: readonly { readonly name: string; readonly args?: readonly string[] }[];
  };
  readonly status?: { readonly podIP?: string; readonly phase?: string };
}

export interface Kubelet {
  stop(): Promise<void>;
}

export interface Running {
  stop(): Promise<void>;
  /** Returns the container's output since a time, which is in milliseconds since 1970. */
  log?(sinceMs: number): string;
}

/**
 * Starts the program of a Pod. Resolves when it is ready; after a failure it is called again.
 * `signal` aborts when the Pod is deleted.
 */
export type StartPod = (pod: Pod, address: string, signal: AbortSignal) => Promise<Running>;

const pods = resource<Pod>({ apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true });
const node = { name: "node-1", address: "192.0.2.1" };

/**
 * Addresses of this machine, for Pods that share its network; and others, for Pods with networks of
 * their own.
 */
const machineSubnet = "192.0.2";
export const podSubnet = "198.51.100";

const nothing: StartPod = async () => ({ stop: async () => {} });

export async function startKubelet(
  cluster: Cluster,
  start: StartPod = nothing,
  subnet = machineSubnet,
): Promise<Kubelet> {
  await makeNode(cluster);
  /** Functions that return the output of each Pod, by `namespace/name`. */
  const logsOf = new Map<string, Running["log"]>();
  const logs = await serveLogs(cluster, (pod, sinceMs) => logsOf.get(pod)?.(sinceMs) ?? "");
  const client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
  const stopping = new AbortController();
  const running = new Map<string, { readonly started: Promise<Running>; readonly going: AbortController }>();
  const stopped = new Map<string, Promise<void>>();
  const looks = new Set<Promise<void>>();
  let addresses = 0;

  const look = async (pod: Pod): Promise<void> => {
    const { name, namespace, uid } = pod.metadata as { name: string; namespace: string; uid: string };
    const say = (args: readonly string[], input = "") =>
      untilTaken(() => cluster.kubectl([...args, "--namespace", namespace], { input }), stopping.signal);
    if (pod.metadata.deletionTimestamp) {
      // A later event about a Pod that is being deleted must not remove it before its containers
      // have ended.
      if (!stopped.has(uid)) stopped.set(uid, stopOf(uid));
      await stopped.get(uid);
      await say(["delete", "pod", name, "--grace-period=0", "--force", "--ignore-not-found"]);
    } else if (!pod.spec.nodeName) {
      const binding = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name, namespace },
        target: { kind: "Node", name: node.name },
      };
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
      await say(["create", "--raw", path, "--filename", "-"], JSON.stringify(binding));
    } else if (!running.has(uid)) {
      const address = pod.spec.hostNetwork ? node.address : `${subnet}.${20 + addresses++}`;
      const going = new AbortController();
      const signal = AbortSignal.any([stopping.signal, going.signal]);
      const started = untilItStarts(() => start(pod, address, signal), signal);
      running.set(uid, { started, going });
      logsOf.set(`${namespace}/${name}`, (await started).log);
      if (signal.aborted) return;
      const patch = JSON.stringify({ status: ready(pod, address) });
      await say(["patch", "pod", name, "--subresource=status", "--patch", patch]);
    }
  };

  const stopOf = async (uid: string): Promise<void> => {
    const one = running.get(uid);
    one?.going.abort();
    await (await one?.started)?.stop();
    running.delete(uid);
  };

  const hear = ({ type, object }: WatchEvent<Pod>): void => {
    if (type === "BOOKMARK" || type === "DELETED") return;
    const looked = look(object);
    looks.add(looked);
    void looked.finally(() => looks.delete(looked));
  };
  /** A watch may break; the next one reports every Pod again. */
  const watch = async (): Promise<void> => {
    const options = { timeoutSeconds: 3600, inactivityMs: 3_600_000, sendInitialEvents: true };
    while (!stopping.signal.aborted) await client.watch(pods, options, hear, stopping.signal);
  };
  const watching = watch();

  return {
    async stop() {
      stopping.abort();
      await watching;
      await Promise.all(looks);
      await Promise.all([...running.values()].map(async ({ started }) => (await started).stop()));
      client.close();
      logs.close();
    },
  };
}

/**
 * Starts a Pod, and tries again if it cannot start, as a kubelet does: rights and objects may
 * become visible some time later.
 */
async function untilItStarts(start: () => Promise<Running>, signal: AbortSignal): Promise<Running> {
  while (!signal.aborted) {
    try {
      return await start();
    } catch {
      await sleep(200);
    }
  }
  return { stop: async () => {} };
}

/**
 * Repeats a command until the API server accepts it. A refusal is final if the Pod is gone or
 * the command took effect before; any other one comes from a busy API server.
 */
async function untilTaken(say: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await say();
      return;
    } catch (error) {
      if (/NotFound|AlreadyExists|Conflict/.test(String((error as { stderr?: unknown }).stderr))) return;
      await sleep(200);
    }
  }
}

/**
 * Serves logs, which the API server requests from the Node. It accepts any certificate unless it
 * has an authority.
 */
async function serveLogs({ authority, folder }: Cluster, logOf: (pod: string, sinceMs: number) => string) {
  await issueServer(authority, folder, "kubelet", `IP:${node.address}`);
  const [cert, key] = ["crt", "key"].map((suffix) => readFileSync(`${folder}/kubelet.${suffix}`));
  return createServer({ cert, key }, ({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, `https://${node.address}`);
    const [, namespace, name] = /^\/containerLogs\/([^/]+)\/([^/]+)\//.exec(pathname) ?? [];
    const seconds = searchParams.get("sinceSeconds");
    const sinceMs =
      seconds === null ? Date.parse(searchParams.get("sinceTime") ?? "") || 0 : Date.now() - Number(seconds) * 1000;
    response.end(logOf(`${namespace}/${name}`, sinceMs));
  }).listen(10250, node.address);
}

async function makeNode(cluster: Cluster): Promise<void> {
  const labels = { "kubernetes.io/os": "linux" };
  const object = { apiVersion: "v1", kind: "Node", metadata: { name: node.name, labels } };
  await cluster.kubectl(["apply", "--filename", "-"], { input: JSON.stringify(object) });
  const status = {
    conditions: [{ type: "Ready", status: "True" }],
    addresses: [{ type: "InternalIP", address: node.address }],
  };
  await cluster.kubectl(["patch", "node", node.name, "--subresource=status", "--patch", JSON.stringify({ status })]);
  // The API server adds this taint to every new Node, and no controller here removes it when the
  // Node is ready.
  await cluster.kubectl(["taint", "node", node.name, "node.kubernetes.io/not-ready:NoSchedule-"]);
}

function ready({ spec }: Pod, podIP: string): unknown {
  const containerStatuses = spec.containers.map(({ name }) => ({
    name,
    ready: true,
    started: true,
    restartCount: 0,
    image: "",
    imageID: "",
    state: { running: {} },
  }));
  const conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
    type,
    status: "True",
  }));
  return { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions, containerStatuses };
}
