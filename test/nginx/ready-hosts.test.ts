/**
 * A first start with many hosts: the records of all of them are in nginx's memory before the
 * controller is healthy.
 */
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { startServe, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_908;
/** `FIRST_HOSTS=10000` is the figure of docs/reliability.md. */
const firstHosts = Number(process.env.FIRST_HOSTS ?? 1_000);

test(`a first start with ${firstHosts} hosts is healthy only when each of them answers`, async () => {
  const plain = createServer((_, response) => response.end()).listen(backendPort, "127.0.0.1");
  onTestFinished(() => void plain.close());
  const hosts = Array.from({ length: firstHosts }, (_, at) => `h${at}.example`);
  const all = hosts.map((host, at) => toWeb({ host, name: `h${at}` })).join("---\n");
  const first = startServe({ files: { "hosts.yaml": all, "backends.yaml": webAt(backendPort) } });
  onTestFinished(first.remove);
  const began = performance.now();
  await until("it to be healthy", async () => (await first.health().catch(() => undefined))?.status === 200, 300_000);
  const healthyMs = performance.now() - began;
  const counts = new Map<number, number>();
  // The last ones first, because they would be the last to be there.
  const ask = async () => {
    for (let host = hosts.pop(); host !== undefined; host = hosts.pop()) {
      const { status } = await first.ask(host);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 20 }, ask));
  console.log(`healthy after ${Math.round(healthyMs)} ms`);
  expect(counts).toEqual(new Map([[200, firstHosts]]));
}, 600_000);
