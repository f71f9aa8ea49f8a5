/**
 * A review by the webhook in clusters of 100, 1,000 and 10,000 Ingresses, over HTTPS, while the cluster and the webhook's certificate change: from
 * the first byte of the question to the last of the answer. One at a time, and twenty at once. The goal is 50 ms for 95 in 100, and flat memory.
 */
import { Agent, request } from "node:https";
import type { KeyPair } from "../../src/admission/key-pairs.ts";
import { makeCertificate } from "../../src/admission/own-certificate.ts";
import { startWebhook } from "../../src/admission/webhook.ts";
import { defaultOptions } from "../../src/translate/options.ts";
import { base, ingress, put } from "../support/sketch.ts";
import type { Figure } from "./measured.ts";

const sizes = [100, 1_000, 10_000];
const reviews = 400;
const boundMs = 50;

const kind = { group: "networking.k8s.io", version: "v1", kind: "Ingress" };
const annotations = { "proxy-body-size": "8m", "proxy-read-timeout": "60", "rewrite-target": "/$1" };
const paths = Array.from({ length: 5 }, (_, at) => [`/path/${at}`, "web"] as const);
const one = (at: number) => ingress({ name: `web-${at}`, host: `host-${at}.example`, annotations, paths });

function question(at: number): string {
  const object = one(at);
  const metadata = { ...object.metadata, name: `new-${at}`, uid: "705ab4f5-6393-11e8-b7cc-42010a800002" };
  const asked = { uid: "u", kind, operation: "CREATE", object: { ...object, metadata } };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: asked });
}

export async function webhook(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const ingresses of sizes) for (const atOnce of [1, 20]) figures.push(await measured(ingresses, atOnce));
  return figures;
}

async function measured(ingresses: number, atOnce: number): Promise<Figure> {
  let snapshot = put(base, ...Array.from({ length: ingresses }, (_, at) => one(at)));
  const { cert, key } = await makeCertificate(["localhost"], new Date());
  let pair: KeyPair = { cert, key };
  let renew = (_pair: KeyPair): void => {};
  const started = await startWebhook({
    address: "127.0.0.1:0",
    keyPairs: {
      current: () => pair,
      onChange: (listener) => {
        renew = listener;
        return () => {};
      },
    },
    source: { snapshot: () => snapshot, onChange: () => () => {} },
    translate: defaultOptions,
    watches: () => true,
    report: () => {},
  });
  if (!started.ok) throw new Error(started.why);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce, rejectUnauthorized: false });
  const ask = (at: number) =>
    new Promise<number>((resolve, reject) => {
      const begun = performance.now();
      // Every other one takes the paths of an Ingress that is there.
      const asked = request({ port: started.port, method: "POST", agent }, (response) => {
        response.resume();
        response.once("end", () => resolve(performance.now() - begun));
      });
      asked.once("error", reject);
      asked.end(question(at % 2 === 0 ? at : ingresses + at));
    });

  await Promise.all(Array.from({ length: atOnce }, (_, at) => ask(at)));
  const tookMs: number[] = [];
  const before = memoryMb();
  const cpu = process.cpuUsage();
  for (let at = 0; at < reviews; at += atOnce) {
    snapshot = put(snapshot, one(at));
    if (at === reviews / 2) {
      pair = await makeCertificate(["localhost"], new Date());
      renew(pair);
    }
    tookMs.push(...(await Promise.all(Array.from({ length: atOnce }, (_, more) => ask(at + more)))));
  }
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1000 / reviews;
  agent.destroy();
  await started.stop();
  const what = atOnce === 1 ? "a review by the webhook" : `a review by the webhook, ${atOnce} at once`;
  // What asks is in the same process: the webhook's part of it is about half.
  const note = `${cpuMs.toFixed(1)} ms of CPU each; resident ${before} MB before, ${memoryMb()} MB after`;
  return { what, hosts: ingresses, unit: "ms", values: tookMs, bound: boundMs, tail: true, note };
}

function memoryMb(): number {
  return Math.round(process.memoryUsage().rss / 1e6);
}
