/**
 * Scrapes a controller with 1,000 Ingresses under traffic: every request is counted under its
 * Ingress, and the number of series stays small.
 */
import { Agent, createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Exposition, readExposition, sumOf } from "../support/exposition.ts";
import { ingressNginxMetrics } from "../support/ingress-nginx-metrics.ts";
import { request } from "./support/request.ts";
import { ports, type Served, serving, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const count = 1_000;
const backendPort = 21_905;
const ingress = (at: number) => toWeb({ name: `web-${at}`, host: `host-${at}.example` });
const files = {
  "ingresses.yaml": Array.from({ length: count }, (_, at) => ingress(at)).join("---\n"),
  "backends.yaml": webAt(backendPort),
};

let backend: Server;
let served: Served;
beforeAll(async () => {
  backend = createServer((asked, response) => {
    response.statusCode = asked.url === "/broken" ? 500 : 200;
    response.end("hello");
  });
  await new Promise<void>((resolve) => backend.listen(backendPort, "127.0.0.1", resolve));
  served = await serving({ files, flags: ["--enable-metrics"] });
});
afterAll(async () => {
  await served?.remove();
  backend.close();
  backend.closeAllConnections();
});

/** Requests to host `at`. */
const times = (at: number) => 1 + (at % 3);
const total = Array.from({ length: count }, (_, at) => times(at)).reduce((sum, one) => sum + one, 0);
const scraped = async (): Promise<Exposition> => readExposition((await served.health("/metrics")).body);

test("each of 1,000 Ingresses has the exact number of its requests, in no more series than needed", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const ask = async (at: number, path: string) => {
    const { status } = await request({ to: `127.0.0.1:${ports.http}`, host: `host-${at}.example`, path, agent });
    expect(status).toBe(path === "/broken" ? 500 : 200);
  };
  const all = Array.from({ length: count }, (_, at) => at).flatMap((at) => Array.from({ length: times(at) }, () => at));
  await Promise.all(all.map((at) => ask(at, "/some/page")));
  await Promise.all(Array.from({ length: 10 }, () => ask(7, "/broken")));
  agent.destroy();
  const name = "nginx_ingress_controller_requests";
  await until("all requests to be counted", async () => sumOf(await scraped(), name) >= total + 10);
  const now = await scraped();

  for (let at = 0; at < count; at++) {
    const whose = { namespace: "shop", ingress: `web-${at}`, host: `host-${at}.example`, service: "web" };
    const found = [
      sumOf(now, name, { ...whose, status: "200", method: "GET", path: "/" }),
      sumOf(now, "nginx_ingress_controller_request_duration_seconds_count", { ...whose, status: "2xx" }),
      sumOf(now, "nginx_ingress_controller_request_duration_seconds_bucket", { ...whose, status: "2xx", le: "+Inf" }),
    ];
    expect([at, ...found]).toEqual([at, times(at), times(at), times(at)]);
  }
  const seven = { ingress: "web-7" };
  expect(sumOf(now, name, { ...seven, status: "500" })).toBe(10);
  expect(sumOf(now, "nginx_ingress_controller_response_size_count", seven)).toBe(times(7) + 10);
  expect(sumOf(now, "sluice_requests_folded_total")).toBe(0);

  const theirs = new Set(ingressNginxMetrics.map((one) => one.name));
  const familyOf = (sample: string) => (theirs.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, ""));
  expect(now.samples.filter((one) => !theirs.has(familyOf(one.name))).length).toBeLessThan(1_000);
  expect(now.samples.length).toBeLessThan(50_000 + 1_000);
});

test("removed Ingresses have no series", async () => {
  served.write("ingresses.yaml", ingress(1));
  await until("the others to be gone", async () => {
    const { samples } = await scraped();
    return samples.filter(({ name }) => name === "nginx_ingress_controller_requests").length === 1;
  });
});
