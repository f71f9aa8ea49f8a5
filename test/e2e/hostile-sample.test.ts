/**
 * Hostile objects through the real API server. It refuses the same objects that the search leaves
 * out as impossible, and the accepted ones do no harm on their way through the informers.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { readManifest } from "../../src/edges/folder/manifest.ts";
import { hostileObjects } from "../hostile/search/objects.ts";
import { ingress, ingressClass } from "../hostile/support/objects.ts";
import { request } from "../nginx/support/request.ts";
import type { Subject } from "../parity/subject.ts";
import { sharedPki } from "../support/pki.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { clusterSubject } from "./support/cluster-subject.ts";

const seed = Number(process.env.HOSTILE_SEED ?? 1);
const namespace = (name: string): KubernetesObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
/** Another web server on the machine may have port 80. */
const port = 28_480;

let cluster: Cluster;
let subject: Subject;

beforeAll(async () => {
  await sharedPki();
  cluster = await startCluster();
  const flags = ["http", "https", "default-server", "status"].map((name, at) => `--${name}-port=${port + at}`);
  const neighbour = ingress({ name: "neighbour", namespace: "other" });
  const objects = [ingressClass, namespace("ingress-nginx"), ...["ns", "other", "sentinel"].map(namespace), neighbour];
  subject = await clusterSubject(cluster)({ mode: "static", flags, objects });
});
afterAll(async () => {
  await subject?.stop();
  await cluster?.stop();
});

test(`200 objects of seed ${seed}: the API server takes those that the search tries, and no others`, async () => {
  const objects = hostileObjects(seed, 0, 200).flatMap((one) => one.objects);
  const refused = await subject.apply(objects);
  const expected = objects.filter((object) => readManifest(JSON.stringify(object)).faults.some(({ fatal }) => fatal));
  const named = (lines: readonly string[]) => lines.map((line) => line.replace(/:.*$/s, "")).sort();
  expect(named(refused)).toEqual(named(expected.map(({ kind, metadata }) => `${kind} ${metadata.name}:`)));
  await subject.settled();
  expect((await request({ to: `192.0.2.1:${port}`, host: "neighbour.example" })).status).toBe(503);
});
