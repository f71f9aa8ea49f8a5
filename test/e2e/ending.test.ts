/**
 * Tests the end of a controller, and the answers of its ports meanwhile (process contract A and G),
 * with a real API server.
 */
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { showing } from "../../src/edges/operator-token.ts";
import { type HeldBackend, heldBackend } from "../nginx/support/held-backend.ts";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { answerOf, ingress, openShop, type Shop, serviceAt, shopObjects } from "./support/shop.ts";
import { apply, installPod, Sluice } from "./support/sluice.ts";

const inFlight = 500;
const heldAddress = "192.0.2.13";
let cluster: Cluster;
let shop: Shop;
let held: HeldBackend;
let sluice: Sluice;

beforeAll(async () => {
  [cluster, shop, held] = await Promise.all([startCluster(), openShop(), heldBackend(heldAddress, 8080)]);
  await installPod(cluster);
  const services = [...shopObjects, ...serviceAt("held", heldAddress)];
  await apply(cluster, [...services, ingress("held", { service: "held" }), ingress("quick")]);
  // Long enough that a busy machine sees what happens meanwhile.
  const flags = ["--shutdown-grace-period=6", "--post-shutdown-grace-period=1", "--healthz-host=127.0.0.1"];
  sluice = new Sluice({ cluster, flags });
  await sluice.process.start();
  await until("the host is served", async () => (await answerOf("quick")) === "echo-a");
});
afterAll(async () => {
  await sluice?.end();
  await shop?.stop();
  await held?.stop();
  await cluster?.stop();
});

const statusOf = async (to: string, path: string, host?: string) =>
  (await request({ to, path, ...(host === undefined ? {} : { host }) }).catch(() => undefined))?.status;

test.each([
  ["127.0.0.1:10246", "/healthz", 200],
  ["127.0.0.1:10246", "/is-dynamic-lb-initialized", 200],
  ["127.0.0.1:10246", "/nginx_status", 200],
  ["127.0.0.1:10246", "/configuration/backends", 404],
  ["192.0.2.1:10246", "/healthz", undefined],
  ["192.0.2.1:8181", "/", 404],
  ["192.0.2.1:8181", "/healthz", 404],
  ["192.0.2.1:80", "/healthz", 200],
  ["192.0.2.1:80", "/nginx_status", 403],
  ["127.0.0.1:80", "/nginx_status", 200],
  ["127.0.0.1:10254", "/healthz", 200],
  ["127.0.0.1:10254", "/healthz/nginx-ingress-controller", 200],
  ["127.0.0.1:10254", "/build", 200],
  ["192.0.2.1:10254", "/healthz", undefined],
  ["127.0.0.1:10245", "/debug/pprof/", 401],
  ["192.0.2.1:10245", "/debug/pprof/", undefined],
])("the address %s answers the path %s with %s", async (to, path, expected) => {
  expect(await statusOf(to, path)).toBe(expected);
});

/** Resolves with the status, or with the failure. */
function heldRequest(agent: Agent): Promise<number | string | undefined> {
  const headers = { host: "held.example" };
  return new Promise((resolve) => {
    const asked = get({ agent, host: "192.0.2.1", headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
      response.on("error", (error) => resolve(error.message));
    });
    asked.on("error", (error) => resolve(error.message));
  });
}

test(`SIGTERM while ${inFlight} requests run: none is lost, new ones are served until the grace period ends, and the exit code is 0`, async () => {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const answers = Promise.all(Array.from({ length: inFlight }, () => heldRequest(agent)));
  await until("all of them are in flight", () => held.held === inFlight);
  const began = performance.now();
  const ended = sluice.process.stop();
  await until("it is not healthy any more", async () => (await statusOf("127.0.0.1:10254", "/healthz")) === 500);
  expect(await answerOf("quick")).toBe("echo-a");
  expect(await statusOf("127.0.0.1:10254", "/healthz/ping")).toBe(200);
  const connection = async () =>
    (await request({ to: "192.0.2.1:80", host: "quick.example", agent })).headers.connection;
  await until("answers close their connections", async () => (await connection()) === "close");

  await until("no new ones are served", async () => (await statusOf("192.0.2.1:80", "/healthz")) === undefined);
  held.release("done");
  const lost = (await answers).filter((answer) => answer !== 200);
  agent.destroy();
  console.log(`${inFlight} requests ran at SIGTERM, ${lost.length} of them were lost`);
  expect(lost).toEqual([]);
  expect(await ended).toBe(0);
  expect(performance.now() - began).toBeGreaterThan(7_000);
  expect(sluice.nginxPid).toBeUndefined();
  expect(await statusOf("192.0.2.1:80", "/healthz")).toBeUndefined();
});

test("POST /stop with the operator's token ends the controller as SIGTERM does", async () => {
  await sluice.process.start();
  const to = "127.0.0.1:10254";
  expect((await request({ to, path: "/stop", method: "POST" })).status).toBe(401);
  const headers = showing(readFileSync(join(sluice.folder, "run/operator.token"), "utf8"));
  expect((await request({ to, path: "/stop", method: "POST", headers })).status).toBe(202);
  expect(await sluice.process.ended()).toBe(0);
  expect(sluice.nginxPid).toBeUndefined();
});
