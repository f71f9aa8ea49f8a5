/**
 * Measures the largest cluster for which one replica is built: 100,000 hosts, a fifth of them with
 * a certificate of their own, by `sluice serve` on a folder. Making so many certificates takes a
 * minute or two before anything starts.
 */
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { request } from "../nginx/support/request.ts";
import { ports } from "../nginx/support/serve.ts";
import {
  answered,
  backendPort,
  endpoint,
  newHosts,
  quietMsOf,
  reloadsOf,
  untilLastAnswers,
  workersOf,
} from "./hosts.ts";
import type { Figure } from "./measured.ts";
import { compiled } from "./support/compiled.ts";
import { residentMegabytes } from "./support/cpu.ts";
import { filesOf, hostOf, secretsOf, settingsFlag } from "./support/hosts.ts";
import { sizesOr } from "./support/sizes.ts";

/** The number of hosts without a certificate that get a request, so that workers know them. */
const met = 10_000;

export async function scale(): Promise<Figure[]> {
  const backend = createServer((_request, response) => response.end("ok")).listen(backendPort, "127.0.0.1");
  const node = await compiled();
  const figures: Figure[] = [];
  for (const size of sizesOr([100_000])) figures.push(...(await at(size, node)));
  backend.close();
  backend.closeAllConnections();
  return figures;
}

async function at(hosts: number, node: readonly string[]): Promise<Figure[]> {
  const count = hosts / 5;
  const files = filesOf({ hosts, endpoint, secrets: await secretsOf(count), settings: { "ssl-redirect": "false" } });
  const { served, seconds } = await untilLastAnswers({ files, flags: [settingsFlag], limitMs: 600_000, node }, hosts);
  await delay(quietMsOf(hosts));
  const quiet = residentMegabytes(served.pid);
  const before = reloadsOf(served).length;
  const live = await newHosts(served, hosts);
  const reloads = reloadsOf(served).length - before;
  for (let host = count; host < hosts; host += Math.max(1, Math.floor(hosts / met)))
    await answered(served, hostOf(host));
  const workers = workersOf(served);
  for (let host = 0; host < count; host++)
    await request({ to: `127.0.0.1:${ports.https}`, host: hostOf(host), sni: hostOf(host) });
  const asked = workersOf(served);
  await delay(quietMsOf(hosts));
  const memory = residentMegabytes(served.pid);
  await served.remove();
  const having = `with ${count.toLocaleString("en")} certificates`;
  return [
    { what: `from the start to the last host's answer, ${having}`, hosts, unit: "s", values: [seconds] },
    { what: `a new host, from its file to its answer, ${having}`, hosts, unit: "ms", values: live, bound: 60 },
    { what: `reloads for those new hosts, ${having}`, hosts, unit: "", values: [reloads], bound: 0 },
    { what: `the controller's memory (RSS), ${having}`, hosts, unit: "MB", values: [quiet], bound: 1_024 },
    { what: `the controller's memory (RSS) at the end, ${having}`, hosts, unit: "MB", values: [memory], bound: 1_024 },
    { what: `a worker's memory (PSS), ${having}`, hosts, unit: "MB", values: workers, bound: 60 },
    { what: `a worker's memory (PSS), ${having} that all had handshakes`, hosts, unit: "MB", values: asked, bound: 60 },
  ];
}
