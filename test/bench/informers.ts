/**
 * Compares the memory of this project's informers, and their time to sync, with those of plain
 * client-node informers, on one real API server with as many Services as Ingresses and twice as
 * many EndpointSlices. Each reader is a process of its own, and its memory is read after a
 * collection; filling the cluster takes longest. Ours runs with the options of Node that the image
 * sets for the controller. The other one runs with Node's defaults and, to be fair, also with our
 * options.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { Client, type KubernetesObject, kubeConfigCredentials, type Resource } from "../../src/kube/index.ts";
import { type Cluster, startCluster } from "../e2e/support/cluster.ts";
import type { Figure } from "./measured.ts";
import { imageOptions } from "./support/image-options.ts";
import type { Read } from "./support/measure.ts";
import { objectsOf } from "./support/population.ts";
import { sizesOr } from "./support/sizes.ts";

const never = new AbortController().signal;

export async function informers(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const ingresses of sizesOr([10_000])) figures.push(...(await among(ingresses)));
  return figures;
}

async function among(ingresses: number): Promise<Figure[]> {
  // A /16 has too few cluster IPs left for ten thousand Services to find one quickly.
  const cluster = await startCluster({ apiServerFlags: ["--service-cluster-ip-range=10.96.0.0/12"] });
  try {
    const client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
    const work = objectsOf(ingresses);
    const fill = async () => {
      for (let next = work.next(); !next.done; next = work.next()) {
        const [of, object] = next.value;
        await create(client, of, object);
      }
    };
    await Promise.all(Array.from({ length: 24 }, fill));
    client.close();
    const env = { KUBECONFIG: cluster.kubeconfig(), ...podIn(cluster) };
    const theirs = await read("read-client-node", [], env);
    const alike = await read("read-client-node", imageOptions(), env);
    const ours = await read("read-sluice", imageOptions(), env);
    const mb = (bytes: number) => bytes / 2 ** 20;
    const figure = (what: string, unit: Figure["unit"], value: number, bound?: number): Figure => ({
      what,
      hosts: ingresses,
      unit,
      values: [value],
      ...(bound === undefined ? {} : { bound }),
    });
    return [
      figure("time to sync", "s", ours.syncMs / 1000),
      figure("time to sync with client-node's informers", "s", theirs.syncMs / 1000),
      figure("heap", "MB", mb(ours.heap)),
      figure("resident memory", "MB", mb(ours.resident)),
      figure("heap beside client-node's", "times", ours.heap / theirs.heap, 0.5),
      figure("resident memory beside client-node's", "times", ours.resident / theirs.resident, 0.5),
      figure("the same with our options of Node for both", "times", ours.resident / alike.resident),
    ];
  } finally {
    await cluster.stop();
  }
}

/** A busy server refuses some writes, so each is repeated for a minute. */
async function create(client: Client, of: Resource<KubernetesObject>, object: KubernetesObject): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await client.create(of, object, never);
    if (answer.ok || answer.failure.code === 409) return;
    if (attempt === 60) throw new Error(`${object.metadata.name}: ${answer.failure.message}`);
    await sleep(1_000);
  }
}

async function read(reader: string, options: readonly string[], env: Record<string, string>): Promise<Read> {
  const script = fileURLToPath(new URL(`support/${reader}.ts`, import.meta.url));
  const { stdout } = await execa(process.execPath, ["--expose-gc", ...options, script], { env });
  return JSON.parse(stdout) as Read;
}

/**
 * The environment and the mounted files of a Pod, which is how the controller runs where its memory
 * counts.
 */
function podIn({ folder, url }: Cluster): Record<string, string> {
  writeFileSync(join(folder, "token"), "admin-token");
  const { hostname, port } = new URL(url);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT_FOLDER: folder };
}
