/**
 * Measures the metrics of requests with 5,000 Ingresses: the time of a scrape under traffic, and
 * the cost of counting for nginx at each request. nginx's time is the CPU time of its processes, so
 * a busy machine affects it less than elapsed time.
 */
import { Agent, createServer, get, type RequestOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { processFigures } from "../../src/nginx/figures.ts";
import { ports, type Served, serving } from "../nginx/support/serve.ts";
import { ingress } from "../support/ingress.ts";
import type { Figure } from "./measured.ts";
import { cpuMs } from "./support/cpu.ts";

const agent = new Agent({ keepAlive: true, maxSockets: 20 });

export async function metrics(): Promise<Figure[]> {
  return [await scrape(), await counting()];
}

/**
 * Measures one scrape of a controller that has counted requests for each of 5,000 Ingresses. The
 * goal is 200 ms.
 */
async function scrape(): Promise<Figure> {
  const count = 5_000;
  return withServe(count, ["--enable-metrics"], async (served) => {
    await Promise.all(Array.from({ length: count }, (_, at) => asked(at)));
    const traffic = new AbortController();
    const flowing = flow(count, traffic.signal);
    const tookMs: number[] = [];
    let bytes = 0;
    const before = cpuMs(served.pid);
    for (let n = 0; n < 20; n++) {
      const begun = performance.now();
      bytes = await scraped();
      tookMs.push(performance.now() - begun);
    }
    traffic.abort();
    const answered = await flowing;
    const cpu = ((cpuMs(served.pid) - before) / tookMs.length).toFixed(0);
    const note = `${(bytes / 1e6).toFixed(1)} MB and ${cpu} ms of the controller's CPU each, ${answered} requests meanwhile`;
    return { what: "a scrape of /metrics under traffic", hosts: count, unit: "ms", values: tookMs, bound: 200, note };
  });
}

/**
 * Measures the time that counting adds to 1,000 requests in nginx. The goal is 3 ms, which is 3 us
 * for each.
 */
async function counting(): Promise<Figure> {
  const rounds: number[][] = [];
  for (const flags of [[], ["--enable-metrics"]]) {
    rounds.push(await withServe(10, flags, (served) => nginxMs(served)));
  }
  const [without = [], counted = []] = rounds;
  return {
    what: "CPU of counting a request",
    unit: "us",
    values: counted.map((ms, at) => ms - without[at]!),
    bound: 3,
    note: `${without.at(-1)?.toFixed(0)} us without`,
  };
}

/** nginx's milliseconds for 1,000 requests, several times. */
async function nginxMs(served: Served): Promise<number[]> {
  const place = { root: served.runFolder, conf: join(served.runFolder, "nginx.conf") };
  const found: number[] = [];
  const each = 10_000;
  for (let round = 0; round < 4; round++) {
    const before = processFigures(place).cpuSeconds;
    await Promise.all(Array.from({ length: each }, (_, at) => asked(at % 10)));
    found.push(((processFigures(place).cpuSeconds - before) * 1000) / (each / 1000));
  }
  return found.slice(1); // the first one warms up
}

async function withServe<T>(count: number, flags: readonly string[], work: (served: Served) => Promise<T>): Promise<T> {
  const backend = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  const { port } = backend.address() as AddressInfo;
  const served = await serving({ files: manifests(count, port), flags, limitMs: 300_000 });
  try {
    return await work(served);
  } finally {
    agent.destroy();
    await served.remove();
    backend.close();
    backend.closeAllConnections();
  }
}

function manifests(count: number, port: number): Record<string, string> {
  const one = (at: number) =>
    ingress({ name: `web-${at}`, namespace: "shop", host: `host-${at}.example`, ingressClass: "" });
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop" },
    spec: { ports: [{ port: 80 }] },
  };
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "web-1", namespace: "shop", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["127.0.0.1"] }],
    ports: [{ port }],
  };
  const objects = [service, slice, ...Array.from({ length: count }, (_, at) => one(at))];
  return { "all.yaml": objects.map((object) => JSON.stringify(object)).join("\n---\n") };
}

async function flow(count: number, signal: AbortSignal): Promise<number> {
  let answered = 0;
  for (let at = 0; !signal.aborted; at += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, more) => asked((at + more) % count)));
    answered += 10;
  }
  return answered;
}

function asked(at: number): Promise<number> {
  return bytesOf({ port: ports.http, headers: { host: `host-${at}.example` }, agent });
}

function scraped(): Promise<number> {
  return bytesOf({ port: ports.health, path: "/metrics" });
}

function bytesOf(options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", ...options }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once("end", () => resolve(bytes));
    }).once("error", reject);
  });
}
