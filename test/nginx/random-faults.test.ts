/**
 * Random faults of the machine while `sluice serve` runs: its nginx and its workers are killed, it
 * is killed itself, its journal is damaged, and its disk becomes read-only. Each host has a backend
 * of its own. Not one answer of any moment may be another host's, and after each fault all hosts
 * answer right as soon as the controller is ready.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { pathsOf } from "../../src/nginx/index.ts";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { Chance } from "../support/chance.ts";
import { corrupted } from "./support/corrupted.ts";
import { type Served, serving } from "./support/serve.ts";
import { until } from "./support/until.ts";

/** `npm run soak machine` makes a hundred, with another seed each time. */
const rounds = Number(process.env.FAULT_ROUNDS ?? 5);
const seed = Number(process.env.FAULT_SEED ?? (process.env.FAULT_ROUNDS === undefined ? 1 : Date.now() % 1e9));
const firstPort = 21_910;
const hosts = Array.from({ length: 8 }, (_, at) => `h${at}`);

const manifest = (host: string, at: number) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: ${host} }
spec:
  rules:
    - host: ${host}.example
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: ${host} }
spec: { ports: [{ port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: ${host}, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
endpoints: [{ addresses: [127.0.0.1] }]
ports: [{ port: ${firstPort + at} }]
`;

test(`after ${rounds} random faults of the machine no answer was another host's, and all are right`, {
  timeout: 300_000 + rounds * 120_000,
}, async () => {
  console.log(`seed ${seed}: FAULT_SEED=${seed} makes the same faults again`);
  const chance = new Chance(seed);
  const files = Object.fromEntries(hosts.map((host, at) => [`${host}.yaml`, manifest(host, at)]));
  const base = mkdtempSync(join(tmpdir(), "sluice-faults-"));
  const run = join(base, "run");
  const backends = hosts.map((host, at) =>
    createServer((_, response) => response.end(host)).listen(firstPort + at, "127.0.0.1"),
  );
  let one: Served = await serving({ files, earlier: run });
  const wrong: string[] = [];
  let [going, count] = [true, 0];
  const ask = async (host: string) => {
    const answer = await one.ask(`${host}.example`).catch(() => undefined);
    count++;
    if (answer?.status === 200 && answer.body !== host) wrong.push(`${host} got ${answer.body}`);
    return answer?.status === 200;
  };
  const asking = (async () => {
    while (going) await ask(chance.oneOf(hosts));
  })();
  onTestFinished(async () => {
    going = false;
    await asking;
    await one.remove();
    await execa("umount", ["--lazy", run], { reject: false });
    for (const backend of backends) backend.close();
    for (const backend of backends) backend.closeAllConnections();
    rmSync(base, { recursive: true });
  });
  const processes = () => nginxProcesses(pathsOf(run));
  const killOne = (role: string) => {
    const [found] = processes().filter((process) => process.role === role);
    if (found !== undefined) process.kill(found.pid, "SIGKILL");
  };
  const restart = async (damage: boolean) => {
    one.signal("SIGKILL");
    await one.ended;
    await until("no nginx", () => processes().length === 0);
    const { journal } = pathsOf(run);
    if (damage) writeFileSync(journal, corrupted(readFileSync(journal), chance).bytes);
    one = await serving({ files, earlier: run });
  };
  const faults = {
    "a worker is killed": async () => killOne("worker"),
    "the master is killed": async () => killOne("master"),
    "the controller is killed": () => restart(false),
    "the controller is killed, and its journal damaged": () => restart(true),
    "the disk is read-only for a change": async () => {
      await execa("mount", ["--bind", run, run]);
      await execa("mount", ["-o", "remount,ro,bind", run]);
      one.write("h0.yaml", manifest("h0", 0).replace("{ name: web, namespace: h0 }", "{ name: web2, namespace: h0 }"));
      await one.logged(/Ingress h0\/web2 added/);
      await execa("umount", ["--lazy", run]);
      one.write("h0.yaml", manifest("h0", 0));
    },
  };
  const kinds = Object.keys(faults) as (keyof typeof faults)[];
  for (let round = 0; round < rounds; round++) {
    const kind = rounds > kinds.length ? chance.oneOf(kinds) : kinds[round % kinds.length]!;
    console.log(`${round}: ${kind}`);
    await faults[kind]();
    await until(`ready after: ${kind}`, async () => (await one.health().catch(() => undefined))?.status === 200);
    // A worker or master that was killed is replaced a moment later.
    for (const host of hosts) await until(`${host} after: ${kind}`, () => ask(host));
    expect(one.printed()).not.toContain("this is a bug");
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(hosts.length * rounds);
});
