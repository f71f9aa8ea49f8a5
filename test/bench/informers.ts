/**
 * Time to sync and memory of this project's informers beside plain client-node ones, on one real API server:
 * `node_modules/.bin/node test/bench/informers.ts [thousands]`, ten by default: 10,000 Ingresses, 10,000 Services, 20,000 EndpointSlices.
 * Each reader is a process of its own, and its memory is read after a collection; filling the cluster takes longest. Ours runs with the options
 * of Node that the image gives the controller, the other with Node's own and, to be fair, once more with those.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { Client, type KubernetesObject, kubeConfigCredentials, type Resource } from "../../src/kubernetes/index.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import type { Read } from "./support/measure.ts";
import { objectsOf } from "./support/population.ts";

const thousands = Number(process.argv[2] ?? 10);
const never = new AbortController().signal;

const cluster = await startCluster({
  address: "127.0.0.1",
  apiPort: 16_443,
  etcdPort: 12_379,
  // A /16 has too few cluster IPs left for ten thousand Services to find one quickly.
  apiServerFlags: ["--service-cluster-ip-range=10.96.0.0/12"],
});
try {
  const client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
  const work = objectsOf(thousands * 1_000);
  const fill = async () => {
    for (let next = work.next(); !next.done; next = work.next()) {
      const [of, object] = next.value;
      await create(client, of, object);
    }
  };
  await Promise.all(Array.from({ length: 24 }, fill));
  client.close();

  console.log(`${thousands * 1_000} Ingresses, ${thousands * 1_000} Services, ${thousands * 2_000} EndpointSlices`);
  const env = { KUBECONFIG: cluster.kubeconfig(), ...podIn(cluster) };
  const others = await read("read-client-node", [], env);
  print("client-node", others);
  print("the same with our options", await read("read-client-node", imageOptions(), env));
  const ours = await read("read-sluice", imageOptions(), env);
  print("sluice", ours);
  const share = (of: "heap" | "resident") => `${Math.round((100 * ours[of]) / others[of])} %`;
  console.log(`of client-node's: heap ${share("heap")}, resident ${share("resident")}`);
} finally {
  await cluster.stop();
}

/** A busy server refuses some; each has a minute. */
async function create(client: Client, of: Resource<KubernetesObject>, object: KubernetesObject): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await client.create(of, object, never);
    if (answer.ok || answer.failure.code === 409) return;
    if (attempt === 60) throw new Error(`${object.metadata.name}: ${answer.failure.message}`);
    await sleep(1_000);
  }
}

/** Those in the image's script, but the one that depends on the machine. */
function imageOptions(): readonly string[] {
  const script = readFileSync(new URL("../../image/nginx-ingress-controller", import.meta.url), "utf8");
  return [...script.matchAll(/--max-semi-space-size=\d+/g)].map(([option]) => option);
}

async function read(reader: string, options: readonly string[], env: Record<string, string>): Promise<Read> {
  const script = fileURLToPath(new URL(`support/${reader}.ts`, import.meta.url));
  const { stdout } = await execa(process.execPath, ["--expose-gc", ...options, script], { env });
  return JSON.parse(stdout) as Read;
}

function print(who: string, { objects, syncMs, heap, resident }: Read): void {
  const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  console.log(`${who}: ${objects} objects, synced in ${syncMs} ms, heap ${mb(heap)}, resident ${mb(resident)}`);
}

/** The environment and the mounted files of a Pod, which is how the controller runs where its memory counts. */
function podIn({ folder, url }: Cluster): Record<string, string> {
  writeFileSync(join(folder, "token"), "admin-token");
  const { hostname, port } = new URL(url);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT_FOLDER: folder };
}
