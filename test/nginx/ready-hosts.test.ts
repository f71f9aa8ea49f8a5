/**
 * Starts with many hosts: the records of all of them are in nginx's memory before the controller is
 * healthy. A first nginx starts with its records. One with the text of an earlier process and
 * without a journal serves before it has any, so there readiness has to wait for them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pathsOf } from "../../src/nginx/index.ts";
import { type Served, startServe, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_908;
/** `FIRST_HOSTS=10000` is the figure of docs/reliability.md. */
const count = Number(process.env.FIRST_HOSTS ?? 1_000);
const hosts = Array.from({ length: count }, (_, at) => `h${at}.example`);
const files = {
  "hosts.yaml": hosts.map((host, at) => toWeb({ host, name: `h${at}` })).join("---\n"),
  "backends.yaml": webAt(backendPort),
};

/** Resolves with the number of hosts for each status, asked as soon as it is healthy. */
async function answersWhenHealthy(served: Served): Promise<ReadonlyMap<number, number>> {
  const began = performance.now();
  const isHealthy = async () => (await served.health().catch(() => undefined))?.status === 200;
  await until("it to be healthy", isHealthy, 300_000);
  console.log(`healthy after ${Math.round(performance.now() - began)} ms`);
  const counts = new Map<number, number>();
  // The last ones first, because they would be the last to be there.
  const left = [...hosts];
  const ask = async () => {
    for (let host = left.pop(); host !== undefined; host = left.pop()) {
      const { status } = await served.ask(host);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 20 }, ask));
  return counts;
}

test(`with ${count} hosts a first start, and one without the journal of the last, are healthy only when each answers`, async () => {
  const plain = createServer((_, response) => response.end()).listen(backendPort, "127.0.0.1");
  onTestFinished(() => void plain.close());
  const earlier = mkdtempSync(join(tmpdir(), "sluice-ready-"));
  onTestFinished(() => rmSync(earlier, { recursive: true }));
  for (const start of ["first", "without a journal"]) {
    const served = startServe({ files, earlier });
    try {
      expect(await answersWhenHealthy(served), start).toEqual(new Map([[200, count]]));
    } finally {
      await served.remove();
    }
    rmSync(pathsOf(earlier).journal);
  }
}, 600_000);
