/**
 * Keeps a Deployment for each Foo, with the name and the number of replicas in its spec. Each
 * change of a Deployment queues the Foos that name it. This includes Deployments that no Foo owns:
 * when one of these is deleted, a Foo can create its own.
 */
import {
  Client,
  EventRecorder,
  findCredentials,
  keyOf,
  runWorkers,
  SharedInformer,
  systemClock,
  WorkQueue,
} from "../../src/kube/index.ts";
import { deployments, foos } from "./kinds.ts";
import { reconcile, type World } from "./reconcile.ts";

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const client = new Client(await findCredentials({ env: process.env }), { userAgent: "foo-controller" });
const queue = new WorkQueue(systemClock);
const events = new EventRecorder(client, { component: "foo-controller", clock: systemClock });

const fooInformer = new SharedInformer(client, foos);
const deploymentInformer = new SharedInformer(client, deployments);
fooInformer.subscribe(({ object }) => queue.add(keyOf(object)));
deploymentInformer.subscribe(({ object }) => {
  for (const foo of fooInformer.store.values())
    if (`${foo.metadata.namespace}/${foo.spec.deploymentName}` === keyOf(object)) queue.add(keyOf(foo));
});

const world: World = {
  client,
  events,
  foos: fooInformer.store,
  deployments: deploymentInformer.store,
  signal: stop.signal,
};

async function work(): Promise<void> {
  const stopped = new Promise<void>((done) => stop.signal.addEventListener("abort", () => done(), { once: true }));
  // While the caches are not filled, an existing Deployment would seem to be missing.
  await Promise.race([Promise.all([fooInformer.synced, deploymentInformer.synced]), stopped]);
  await runWorkers(queue, (key) => reconcile(key, world), stop.signal, {
    workers: 2,
    gaveUp: (key, why) => console.error(`${key}: given up: ${why}`),
    maxRetries: 15,
  });
}

await Promise.all([fooInformer.run(stop.signal), deploymentInformer.run(stop.signal), events.run(stop.signal), work()]);
client.close();
