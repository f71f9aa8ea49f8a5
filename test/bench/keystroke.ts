/**
 * Measures the time from a keystroke to the answer, for `sluice serve` on a folder with 1,000
 * Ingresses, one of which is edited. The time runs from the write of the file until a request gets
 * the new answer. The goal is 300 ms.
 */
import { createServer } from "node:http";
import { serving, toWeb, webAt } from "../nginx/support/serve.ts";
import type { Figure } from "./measured.ts";

const ingresses = 1_000;
const edits = 20;
const boundMs = 300;
const backendPort = 21_902;

const ingress = (at: number, path: string): string => toWeb({ name: `web-${at}`, host: `host-${at}.example`, path });

export async function keystroke(): Promise<Figure[]> {
  const backend = createServer((_request, response) => response.end("ok")).listen(backendPort, "127.0.0.1");
  const files = Object.fromEntries(Array.from({ length: ingresses }, (_, at) => [`${at}.yaml`, ingress(at, "/")]));
  const served = await serving({ files: { ...files, "backends.yaml": webAt(backendPort) } });
  const tookMs: number[] = [];
  for (let edit = 0; edit < edits; edit++) {
    const at = (edit * 47) % ingresses;
    const since = performance.now();
    served.write(`${at}.yaml`, ingress(at, `/new-${edit}`));
    while ((await served.ask(`host-${at}.example`, `/new-${edit}`)).status !== 200 || (await isOld(at))) {}
    tookMs.push(performance.now() - since);
  }
  await served.remove();
  backend.close();
  backend.closeAllConnections();
  return [
    {
      what: "from keystroke to answer, one changed Ingress",
      hosts: ingresses,
      unit: "ms",
      values: tookMs,
      bound: boundMs,
    },
  ];

  /** Whether the old form is still served, in which the path `/` answers. */
  async function isOld(at: number): Promise<boolean> {
    return (await served.ask(`host-${at}.example`, "/")).status === 200;
  }
}
