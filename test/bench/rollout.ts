/**
 * Measures a rollout of 100 Deployments at once, by changes of their EndpointSlices, under 200
 * requests a second, half of them over kept connections. There has to be no reload, no failed
 * request, and no request to an address more than a second after it left its slice. A client
 * repeats a request if a kept connection was closed before a byte of the answer arrived, as HTTP
 * clients do; that is counted.
 */
import { Agent, createServer, get, type Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { Sluice } from "../e2e/support/sluice.ts";
import type { Figure } from "./measured.ts";
import { type FilledCluster, host, inParallel, startFilledCluster } from "./support/cluster.ts";
import { hostOf, slice } from "./support/hosts.ts";

const deployments = 100;
const port = 8_080;
const requestsPerSecond = 200;
/** Addresses of Pods; the answer of a backend names the address that got the request. */
const address = (n: number) => `192.0.2.${2 + (n % 110)}`;

export async function rollout(): Promise<Figure[]> {
  const filled = await startFilledCluster();
  const left = new Map<string, number>();
  const backend = await startBackend();
  const sluice = new Sluice({ cluster: filled.cluster });
  try {
    const numbers = Array.from({ length: deployments }, (_, at) => at);
    await inParallel(numbers, 10, (at) => filled.create(...host(at, { address: address(at), port })));
    await sluice.process.start();
    const traffic = startTraffic(left);
    await delay(1_000);
    const before = sluice.log.length;
    await Promise.all(numbers.map((at) => roll(filled, at, left)));
    await delay(3_000);
    const { asked, failed, again, late } = await traffic();
    const reloads = sluice.log
      .slice(before)
      .split("\n")
      .filter((line) => line.includes('"applied with a reload"')).length;
    return [
      { what: "requests during the rollout", unit: "", values: [asked] },
      { what: "requests that failed", unit: "", values: [failed], bound: 0 },
      { what: "requests that were sent once more", unit: "", values: [again] },
      { what: "requests to an address more than 1 s after it left", unit: "", values: [late], bound: 0 },
      { what: "reloads", unit: "", values: [reloads], bound: 0 },
    ].map((figure) => ({ ...figure, hosts: deployments })) as Figure[];
  } finally {
    await sluice.end();
    await filled.stop();
    backend.close();
    backend.closeAllConnections();
  }
}

/**
 * Replaces three Pods, one after the other: a new one appears, and the old one terminates and is
 * removed.
 */
async function roll(filled: FilledCluster, at: number, left: Map<string, number>): Promise<void> {
  const shift = 37;
  for (let pod = 1; pod <= 3; pod++) {
    const [old, next] = [address(at + (pod - 1) * shift), address(at + pod * shift)];
    const of = `${hostOf(at)} `;
    left.delete(of + next);
    await filled.replace(slice(at, [old, next], port));
    await delay(200 + (at % 10) * 30);
    const both = slice(at, [next], port);
    const ending = { addresses: [old], conditions: { ready: false, serving: true, terminating: true } };
    await filled.replace({ ...both, endpoints: [...both.endpoints, ending] });
    left.set(of + old, performance.now());
    await delay(300);
    await filled.replace(both);
  }
}

function startBackend(): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((request, response) => response.end(request.socket.localAddress));
    server.keepAliveTimeout = 60_000;
    server.listen(port, "0.0.0.0", () => resolve(server));
  });
}

interface Counts {
  readonly asked: number;
  readonly failed: number;
  readonly again: number;
  readonly late: number;
}

function startTraffic(left: ReadonlyMap<string, number>): () => Promise<Counts> {
  const kept = new Agent({ keepAlive: true, maxSockets: 50 });
  const counts = { asked: 0, failed: 0, again: 0, late: 0 };
  const inFlight = new Set<Promise<void>>();
  const one = async (n: number): Promise<void> => {
    const name = hostOf(n % deployments);
    const agent = n % 2 === 0 ? kept : undefined;
    const begun = performance.now();
    let answer = await ask(name, agent);
    if (answer === "closed") {
      counts.again++;
      answer = await ask(name, undefined);
    }
    counts.asked++;
    if (typeof answer === "string") counts.failed++;
    else if (answer.status !== 200) counts.failed++;
    else if (begun > (left.get(`${name} ${answer.address}`) ?? Number.POSITIVE_INFINITY) + 1_000) counts.late++;
  };
  let n = 0;
  const timer = setInterval(() => {
    const asking = one(n++).finally(() => inFlight.delete(asking));
    inFlight.add(asking);
  }, 1_000 / requestsPerSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(inFlight);
    kept.destroy();
    return counts;
  };
}

type Answered = { readonly status: number; readonly address: string } | "closed" | "failed";

function ask(name: string, agent: Agent | undefined): Promise<Answered> {
  return new Promise((resolve) => {
    const request = get(
      { host: "127.0.0.1", port: 80, headers: { host: name }, ...(agent ? { agent } : {}) },
      (response) => {
        let address = "";
        response.setEncoding("utf8").on("data", (text) => {
          address += text;
        });
        response.once("end", () => resolve({ status: response.statusCode!, address }));
        response.once("error", () => resolve("failed"));
      },
    );
    request.once("error", () => resolve(request.reusedSocket ? "closed" : "failed"));
  });
}
