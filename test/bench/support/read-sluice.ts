/**
 * The benchmark's reader with this project's informers, which keep of an object what the controller
 * keeps.
 */
import { kept } from "../../../src/edges/cluster/kept.ts";
import { Client, podCredentials, SharedInformer } from "../../../src/kube/index.ts";
import { measure } from "./measure.ts";
import { endpointSlices, ingresses, services } from "./population.ts";

const client = new Client(await podCredentials(process.env, process.env.SERVICE_ACCOUNT_FOLDER));
const informers = [ingresses, services, endpointSlices].map(
  (of) => new SharedInformer(client, of, { transform: kept }),
);

await measure(async () => {
  for (const informer of informers) void informer.run(new AbortController().signal);
  await Promise.all(informers.map((informer) => informer.synced));
  return informers.reduce((sum, { store }) => sum + store.size, 0);
});
