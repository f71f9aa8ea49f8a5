/**
 * Tests `sluice status` of a running controller: the changes, how they became live, and what nginx
 * refused.
 */
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StatusAnswer } from "../../src/ask/page/api/status.ts";
import { type HeldBackend, heldBackend } from "./support/held-backend.ts";
import { program, type Served, startServe, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_907;
const settings = (data: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: own }
data: { ${data} }
`;
let backend: HeldBackend;
let served: Served;
beforeAll(async () => {
  backend = await heldBackend("127.0.0.1", backendPort);
  served = startServe({
    files: {
      "settings.yaml": settings(""),
      "web.yaml": toWeb({ host: "web.example" }),
      "backends.yaml": webAt(backendPort),
    },
    flags: ["--configmap=own/settings"],
  });
  await served.logged(/"serving"/);
});
afterAll(async () => {
  await served?.remove();
  await backend?.stop();
});

const status = (...words: string[]) =>
  execa(process.execPath, [program, "status", `--run-folder=${served.runFolder}`, ...words], { reject: false });
async function answered(): Promise<StatusAnswer> {
  const { stdout, stderr } = await status("-o", "json");
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout);
}

test("a new host is the latest change, and is live without a reload", async () => {
  const before = await answered();
  expect(before).toMatchObject({
    version: 1,
    controller: { mode: "dynamic" },
    counts: { hosts: 1, routes: 2, endpoints: 1, gateways: 0, quarantined: 0 },
    nginx: { isRunning: true, restarts: 0 },
  });
  expect(before.memory!.freeBytes).toBeGreaterThan(0);
  expect(before.leader).toBeUndefined();
  served.write("more.yaml", toWeb({ host: "more.example", name: "more" }));
  const after = await until("the change", async () => {
    const found = await answered();
    return found.counts.hosts === 2 ? found : undefined;
  });
  expect(after.changes[0]).toMatchObject({ objects: ["Ingress shop/more added"], more: 0, outcome: "live" });
  expect(after.changes[0]!.reload).toBeUndefined();
  expect(after.changes[0]!.tookMs).toBeGreaterThan(0);
  expect(after.reloads).toEqual(before.reloads);
  expect(after.live!.generation).toBe(before.live!.generation);
});

test("a changed setting is a reload, after which another generation is live", async () => {
  const before = await answered();
  served.write("settings.yaml", settings('keep-alive: "33"'));
  const after = await until("the reload", async () => {
    const found = await answered();
    return found.live!.generation === before.live!.generation ? undefined : found;
  });
  expect(after.reloads.succeeded).toBe(before.reloads.succeeded + 1);
  expect(after.changes[0]).toMatchObject({
    objects: ["ConfigMap own/settings changed (key keep-alive)"],
    outcome: "live",
  });
  expect(after.changes[0]!.reload!.tookMs).toBeGreaterThan(0);
});

test("an object that nginx refused is a problem, also in the text", async () => {
  served.write("settings.yaml", settings('http-snippet: "no_such_directive on;"'));
  const refused = await until("the refusal", async () => {
    const found = await answered();
    // The refusal shows in four places, one after the other.
    const { counts, reloads, changes } = found;
    const isListed = changes.some(({ outcome }) => outcome === "refused") && reloads.failed > 0;
    return isListed && counts.quarantined === 1 && counts.problems.error > 0 ? found : undefined;
  });
  expect(refused.counts.quarantined).toBe(1);
  const { stdout } = await status();
  expect(stdout).toMatch(/^problems +1 error/m);
  expect(stdout).toMatch(/^set aside +1 that nginx refused/m);
});

test("where no controller runs, status prints one sentence", async () => {
  const { stderr, exitCode } = await execa(process.execPath, [program, "status", "--run-folder=/no/such"], {
    reject: false,
  });
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining("no controller answers at /no/such/sockets/routes.sock"),
  ]);
});
