/**
 * Time to sync and memory of this project's informers beside plain client-node ones, on one real API server:
 * `node_modules/.bin/node test/bench/informers.ts [thousands]`, ten by default: 10,000 Ingresses, 10,000 Services, 20,000 EndpointSlices.
 * Each reader is a process of its own, and its memory is read after a collection; filling the cluster takes longest.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { Client, kubeConfigCredentials } from "../../src/kubernetes/index.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
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
      const answer = await client.create(of, object, never);
      if (!answer.ok) throw new Error(`${object.metadata.name}: ${answer.failure.message}`);
    }
  };
  await Promise.all(Array.from({ length: 40 }, fill));
  client.close();

  console.log(`${thousands * 1_000} Ingresses, ${thousands * 1_000} Services, ${thousands * 2_000} EndpointSlices`);
  const env = { KUBECONFIG: cluster.kubeconfig(), ...podIn(cluster) };
  for (const reader of ["read-sluice", "read-client-node"]) {
    const script = fileURLToPath(new URL(`support/${reader}.ts`, import.meta.url));
    const { stdout } = await execa(process.execPath, ["--expose-gc", script], { env });
    console.log(`${reader.slice("read-".length).padEnd(12)} ${stdout}`);
  }
} finally {
  await cluster.stop();
}

/** The environment and the mounted files of a Pod, which is how the controller runs where its memory counts. */
function podIn({ folder, url }: Cluster): Record<string, string> {
  writeFileSync(join(folder, "token"), "admin-token");
  const { hostname, port } = new URL(url);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT_FOLDER: folder };
}
