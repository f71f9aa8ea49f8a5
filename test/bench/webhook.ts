/**
 * Measures a review by the webhook in clusters of 100, 1,000 and 10,000 Ingresses, over HTTPS,
 * while the cluster and the webhook's certificate change. The time runs from the first byte of the
 * request to the last of the answer, for one review at a time and for twenty at once. The goal is
 * 50 ms for 95 in 100, and constant memory of live objects; further memory is garbage that was not
 * collected yet.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { defaultOptions } from "../../src/core/table/options.ts";
import { translate } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import type { KeyPair } from "../../src/edges/admission/key-pairs.ts";
import { makeCertificate } from "../../src/edges/admission/own-certificate.ts";
import { startWebhook } from "../../src/edges/admission/webhook.ts";
import { liveBytes } from "../support/live-bytes.ts";
import { base, fake, ingress, put } from "../support/sketch.ts";
import type { Figure } from "./measured.ts";
import type { Asked } from "./support/asker.ts";

const sizes = [100, 1_000, 10_000];
/** Reviews in each of the four rounds. */
const reviews = 400;
const boundMs = 50;

const kind = { group: "networking.k8s.io", version: "v1", kind: "Ingress" };
/** The reviewed Ingresses have annotations that no other has. */
const annotations = (timeout: number) => ({
  "proxy-body-size": "8m",
  "proxy-read-timeout": `${timeout}`,
  "rewrite-target": "/$1",
});
const paths = Array.from({ length: 5 }, (_, at) => [`/path/${at}`, "web"] as const);
const one = (at: number, name = `web-${at}`, timeout = 60) =>
  ingress({ name, host: `host-${at}.example`, annotations: annotations(timeout), paths });

/** Returns the Ingress `new-N` with the host of Ingress `at`. */
function question(n: number, at: number): string {
  const object = one(at, `new-${n}`, 100 + n);
  const metadata = { ...object.metadata, uid: "705ab4f5-6393-11e8-b7cc-42010a800002" };
  const asked = { uid: "u", kind, operation: "CREATE", object: { ...object, metadata } };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: asked });
}

export async function webhook(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const ingresses of sizes) for (const atOnce of [1, 20]) figures.push(...(await measured(ingresses, atOnce)));
  return figures;
}

async function measured(ingresses: number, atOnce: number): Promise<Figure[]> {
  let snapshot = put(base, ...Array.from({ length: ingresses }, (_, at) => one(at)));
  // The work of a controller before its first review.
  translate({ ...emptyInputs, snapshot }, defaultOptions, fake);
  const { cert, key } = await makeCertificate(["localhost"], new Date());
  let pair: KeyPair = { cert, key };
  let renew = (_pair: KeyPair): void => {};
  const next = await makeCertificate(["localhost"], new Date());
  let answered = 0;
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
    report: ({ kind }) => {
      if (kind !== "reviewed") return;
      answered += 1;
      if (answered % atOnce === 0) snapshot = put(snapshot, one(answered % ingresses));
      if (answered % reviews !== reviews / 2) return;
      pair = pair.cert === cert ? next : { cert, key };
      renew(pair);
    },
  });
  if (!started.ok) throw new Error(started.why);
  const asker = new Worker(new URL("support/asker.ts", import.meta.url));
  // Every other one takes the paths of an existing Ingress.
  const bodyOf = (at: number) => question(at, at % 2 === 0 ? at % ingresses : ingresses + at);

  /** Sends the reviews of one round while the cluster and the certificate change. */
  const round = async (first: number): Promise<number[]> => {
    const bodies = Array.from({ length: reviews }, (_, more) => bodyOf(first + more));
    asker.postMessage({ port: started.port, bodies, atOnce } satisfies Asked);
    const [tookMs] = await once(asker, "message");
    return tookMs as number[];
  };
  await round(0); // Its times are not counted, because they include compiling and the first connections.
  const before = await liveBytes();
  const cpu = process.cpuUsage();
  const tookMs: number[] = [];
  for (let rounds = 1; rounds <= 3; rounds++) tookMs.push(...(await round(rounds * reviews)));
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1000 / tookMs.length;
  const grown = ((await liveBytes()) - before) / 2 ** 20;
  await asker.terminate();
  await started.stop();
  const among = atOnce === 1 ? "" : `, ${atOnce} at once`;
  const count = tookMs.length.toLocaleString("en");
  return [
    {
      what: `a review by the webhook${among}`,
      hosts: ingresses,
      unit: "ms",
      values: tookMs,
      bound: boundMs,
      tail: true,
      // Includes the thread that sends the reviews; the webhook's part is about half.
      note: `${cpuMs.toFixed(1)} ms of CPU each`,
    },
    {
      what: `live memory after ${count} reviews more than before${among}`,
      hosts: ingresses,
      unit: "MB",
      values: [grown],
      bound: 1,
    },
  ];
}
