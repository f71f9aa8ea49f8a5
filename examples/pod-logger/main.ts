/**
 * Logs Pods that are created, change their phase, or are deleted: the smallest use of an informer
 * and a queue. The queue holds only the Pod's name. The log line shows the Pod as the cache has it
 * when the key is processed.
 */
import {
  Client,
  findCredentials,
  type KubernetesObject,
  keyOf,
  resource,
  runWorkers,
  SharedInformer,
  systemClock,
  WorkQueue,
} from "../../src/kube/index.ts";

interface Pod extends KubernetesObject {
  readonly status?: { readonly phase?: string };
}

const pods = resource<Pod>({ apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true });

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const client = new Client(await findCredentials({ env: process.env }));
const informer = new SharedInformer(client, pods, {
  report: (event) => event.kind === "failed" && console.error(`pods: ${event.failure.message}`),
});
const queue = new WorkQueue(systemClock);
informer.subscribe(({ object }) => queue.add(keyOf(object)));

// A key may be processed once more after the Pod is gone, so a Pod that was never logged counts as
// gone.
const phases = new Map<string, string>();
const log = async (key: string) => {
  const pod = informer.store.get(key);
  const phase = pod ? (pod.status?.phase ?? "Unknown") : "gone";
  if ((phases.get(key) ?? "gone") !== phase) console.log(`${key} ${phase}`);
  if (pod) phases.set(key, phase);
  else phases.delete(key);
  return { kind: "done" } as const;
};

await Promise.all([informer.run(stop.signal), runWorkers(queue, log, stop.signal)]);
client.close();
