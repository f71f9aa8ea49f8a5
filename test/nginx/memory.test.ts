/**
 * Tests shared memory that is too small for the routes. Sluice reports it shortly before it is full
 * and when it is full, with the size to set. Existing hosts are served all the time, and new ones
 * are added when there is room. Sluice sizes the memory itself, so only an operator's own template
 * can make it too small.
 */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtInTemplates } from "../../src/nginx/template/files.ts";
import { ingress } from "../support/ingress.ts";
import { ports, type Served, serving, webAt } from "./support/serve.ts";
import { steadyTraffic } from "./support/steady-traffic.ts";
import { until } from "./support/until.ts";

const first = ["a.example", "b.example", "c.example"];
const later = Array.from({ length: 500 }, (_, at) => `later-${at}.example`);
const template = mkdtempSync(join(tmpdir(), "template-"));
const sized = (size: string) => {
  const text = readFileSync(join(builtInTemplates, "lua.tmpl"), "utf8");
  writeFileSync(join(template, "new"), text.replace(/(\{\{lua\.records\}\}) [^;]+;/, `$1 ${size};`));
  renameSync(join(template, "new"), join(template, "lua.tmpl"));
};
const ingresses = (hosts: readonly string[]) =>
  hosts
    .map((host) => JSON.stringify(ingress({ name: host, namespace: "shop", host, ingressClass: "" })))
    .join("\n---\n");

let backend: Server;
let served: Served;
beforeAll(async () => {
  backend = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  sized("128k");
  const files = {
    "web.yaml": webAt((backend.address() as AddressInfo).port),
    "first.yaml": ingresses(first),
  };
  served = await serving({ files, flags: [`--template-dir=${template}`] });
});
afterAll(async () => {
  await served?.remove();
  backend.close();
  backend.closeAllConnections();
  rmSync(template, { recursive: true });
});

test("nearly full and full memory are reported with the size to set, and each served host stays served", async () => {
  const statuses = (hosts: readonly string[]) =>
    Promise.all(hosts.map(async (host) => (await served.ask(host)).status));
  const traffic = steadyTraffic(first.map((host) => ({ to: `127.0.0.1:${ports.http}`, host })));
  for (let at = 0; at < later.length; at += 10) {
    served.write(`later-${at}.yaml`, ingresses(later.slice(at, at + 10)));
    if (served.printed().includes("is full,")) continue;
    const last = later[at + 9]!;
    await until(
      "the host, or that there is no room",
      async () => served.printed().includes("is full,") || (await served.ask(last)).status === 200,
    );
  }
  const full = await served.logged(/shared memory of 128 KB is full/);
  const place = (text: string) => served.printed().indexOf(text);
  expect(place("shared memory of 128 KB is nearly full")).toBeGreaterThan(0);
  expect(place("shared memory of 128 KB is nearly full")).toBeLessThan(place("shared memory of 128 KB is full"));
  expect(full.problem).toContain("configuration_data: 1 in lua-shared-dicts");
  expect(new Set(await statuses(first))).toEqual(new Set([200]));

  sized("8m");
  await until("all hosts to be served", async () => (await statuses(later)).every((status) => status === 200));
  await traffic.end();
  expect([...traffic.answers.keys()]).toEqual(["200"]);
});
