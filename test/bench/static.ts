/**
 * Compares static mode, where every host is text, with the smallest nginx.conf that serves the same
 * hosts: by the time of `nginx -t`, and by the memory of a worker.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../../src/edges/admission/own-certificate.ts";
import { serving } from "../nginx/support/serve.ts";
import { backendPort, testsOf, workersOf } from "./hosts.ts";
import { type Figure, medianOf } from "./measured.ts";
import { pssMegabytes } from "./support/cpu.ts";
import { pairIn, smallestByHand, startNginx } from "./support/hand-written.ts";
import { filesOf, hostOf, settingsFlag } from "./support/hosts.ts";
import { sizesOr } from "./support/sizes.ts";

const endpoint = { address: "127.0.0.1", port: backendPort };
const [http, https] = [21_961, 21_962];
const tries = 3;
const bound = 1.3;

export async function staticHosts(): Promise<Figure[]> {
  const backend = createServer((_request, response) => response.end("ok")).listen(backendPort, "127.0.0.1");
  const figures: Figure[] = [];
  for (const hosts of sizesOr([100, 1_000, 10_000])) figures.push(...(await beside(hosts)));
  backend.close();
  backend.closeAllConnections();
  return figures;
}

async function beside(hosts: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const pair = pairIn(folder, await makeCertificate(["example"], new Date()));
  const names = Array.from({ length: hosts }, (_, at) => hostOf(at));
  const hand = await startNginx(
    smallestByHand({ hosts: names, http, https, backend: `127.0.0.1:${backendPort}`, ...pair }),
  );
  const settings = { "access-log-path": join(folder, "access.log") };
  const files = filesOf({ hosts, endpoint, settings });
  const served = await serving({ files, flags: ["--mode=static", settingsFlag], limitMs: 600_000 });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let at = 0; at < tries; at++) {
    theirs.push(await hand.test());
    ours.push(...(await testsOf(served, 1)));
  }
  const [ourMemory, theirMemory] = [workersOf(served), hand.workers().map(pssMegabytes)];
  const [ourBytes, theirBytes] = [join(served.runFolder, "nginx.conf"), hand.conf].map((file) => statSync(file).size);
  await served.remove();
  await hand.stop();
  rmSync(folder, { recursive: true });
  const ratio = (one: readonly number[], other: readonly number[]) => one.map((value) => value / medianOf(other));
  return [
    { what: "nginx -t", hosts, unit: "ms", values: ours },
    { what: "nginx -t beside the smallest by hand", hosts, unit: "times", values: ratio(ours, theirs), bound },
    { what: "a worker's memory (PSS)", hosts, unit: "MB", values: ourMemory },
    {
      what: "a worker's memory beside the smallest by hand",
      hosts,
      unit: "times",
      values: ratio(ourMemory, theirMemory),
      bound,
    },
    { what: "nginx.conf", hosts, unit: "KB", values: [ourBytes! / 1_000] },
    { what: "nginx.conf beside the smallest by hand", hosts, unit: "times", values: [ourBytes! / theirBytes!] },
  ];
}
