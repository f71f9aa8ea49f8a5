/**
 * What many plain hosts cost nginx, and how long a new one takes, with `sluice serve` on a folder: from 10 to 10,000 hosts, and
 * 100,000 in a benchmark of its own.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { execa } from "execa";
import { nginxProcesses } from "../../src/nginx/processes.ts";
import { serving } from "../nginx/support/serve.ts";
import type { Figure } from "./measured.ts";
import { pssMegabytes } from "./support/cpu.ts";
import { filesOf, hostOf, ingress, service, slice } from "./support/hosts.ts";
import { sizesOr } from "./support/sizes.ts";

const backendPort = 21_960;
const births = 20;

export const hosts = () => eachOf(sizesOr([10, 100, 1_000, 10_000]));
export const manyHosts = () => eachOf([100_000]);

async function eachOf(sizes: readonly number[]): Promise<Figure[]> {
  const backend = createServer((_request, response) => response.end("ok")).listen(backendPort, "127.0.0.1");
  const figures: Figure[] = [];
  for (const size of sizes) figures.push(...(await at(size)));
  backend.close();
  backend.closeAllConnections();
  return figures;
}

async function at(size: number): Promise<Figure[]> {
  const endpoint = { address: "127.0.0.1", port: backendPort };
  const begun = performance.now();
  const served = await serving({ files: filesOf({ hosts: size, endpoint }) });
  const ready = (performance.now() - begun) / 1000;
  const conf = join(served.runFolder, "nginx.conf");
  const processes = () => nginxProcesses({ root: served.runFolder, conf });
  for (let at = 0; at < size; at += Math.max(1, Math.floor(size / 2_000))) await answered(hostOf(at));

  const tests: number[] = [];
  for (let tries = 0; tries < 5; tries++) {
    const since = performance.now();
    await execa("nginx", ["-t", "-p", served.runFolder, "-c", conf, "-e", "stderr"], { reject: false });
    tests.push(performance.now() - since);
  }
  const before = reloads();
  const live: number[] = [];
  for (let at = size; at < size + births; at++) {
    const objects = [ingress(at), service(at), slice(at, [endpoint.address], endpoint.port)];
    const since = performance.now();
    served.write(`born-${at}.yaml`, objects.map((one) => JSON.stringify(one)).join("\n---\n"));
    await answered(hostOf(at));
    live.push(performance.now() - since);
  }
  const workers = processes().filter(({ role, draining }) => role === "worker" && !draining);
  const figure = (what: string, unit: Figure["unit"], values: number[], bound?: number): Figure => ({
    what,
    hosts: size,
    unit,
    values,
    ...(bound === undefined ? {} : { bound }),
  });
  const figures = [
    figure("from the start to the first request served", "s", [ready]),
    figure("nginx -t", "ms", tests, 200),
    figure(
      "a worker's memory (PSS)",
      "MB",
      workers.map(({ pid }) => pssMegabytes(pid)),
      size > 10_000 ? undefined : 40,
    ),
    figure("the controller's memory (PSS)", "MB", [pssMegabytes(served.pid)], size > 10_000 ? undefined : 400),
    figure("a new host, from its file to its answer", "ms", live, size > 10_000 ? 200 : 100),
    figure("reloads for those new hosts", "", [reloads() - before], 0),
  ];
  await served.remove();
  return figures;

  function reloads(): number {
    return served.lines().filter(({ msg }) => msg === "applied with a reload").length;
  }

  async function answered(host: string): Promise<void> {
    while ((await served.ask(host)).status !== 200) {}
  }
}
