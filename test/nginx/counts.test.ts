/**
 * Requests are counted in nginx and read at a scrape: the exact number, over a reload too, and for
 * the right Ingress.
 */
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, serving, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_904;
const load = "nginx.ingress.kubernetes.io/load-balance: ewma";
const auth = `nginx.ingress.kubernetes.io/auth-url: "http://127.0.0.1:${backendPort}/auth"`;
const files = {
  "web.yaml": toWeb({ host: "one.example", path: "/x" }),
  "timed.yaml": toWeb({ name: "timed", host: "two.example", path: "/x", annotations: load }),
  "wild.yaml": toWeb({ name: "wild", host: "*.wild.example", path: "/x" }),
  "asked.yaml": toWeb({ name: "asked", host: "asked.example", path: "/x", annotations: auth }),
  "backends.yaml": webAt(backendPort),
};

let backend: Server;
let served: Served;
beforeAll(async () => {
  backend = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => backend.listen(backendPort, "127.0.0.1", resolve));
  served = await serving({ files, flags: ["--enable-metrics"] });
});
afterAll(async () => {
  await served?.remove();
  backend.close();
  backend.closeAllConnections();
});

/** The value of a series, by the name of the metric and words of its labels. */
async function scraped(name: string, ...words: readonly string[]): Promise<number | undefined> {
  const { body } = await served.health("/metrics");
  const found = body.split("\n").filter((line) => line.startsWith(`nginx_ingress_controller_${name}{`));
  const line = found.find((one) => words.every((word) => one.includes(word)));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ")));
}
const reaches = (value: number, name: string, ...words: readonly string[]) =>
  until(`${name} ${words} to be ${value}`, async () => (await scraped(name, ...words)) === value);
const ask = async (times: number, host: string, path: string) => {
  await Promise.all(Array.from({ length: times }, () => served.ask(host, path)));
};

test("each request counts once, under the host and Ingress that took it", async () => {
  await ask(40, "one.example", "/x/1");
  await ask(3, "one.example", "/other");
  await ask(20, "two.example", "/x");
  await ask(5, "a.wild.example", "/x");
  await ask(7, "stranger.example", "/x");
  const web = ['host="one.example"', 'namespace="shop"', 'ingress="web"', 'service="web"', 'path="/x"', 'method="GET"'];
  await reaches(40, "requests", ...web, 'status="200"');
  await reaches(3, "requests", 'host="one.example"', 'path="/"', 'status="404"');
  await reaches(20, "requests", 'ingress="timed"');
  await reaches(5, "requests", 'host="*.wild.example"', 'ingress="wild"');
  expect(await scraped("requests", "stranger")).toBeUndefined();
  // One set of histograms for an Ingress, a Service and a host, whatever the path and the status.
  await reaches(40, "request_duration_seconds_count", 'ingress="web"', 'service="web"');
  expect(await scraped("response_size_bucket", 'ingress="timed"', 'le="+Inf"')).toBe(20);
  expect(await scraped("request_duration_seconds_bucket", "path=")).toBeUndefined();
  // The duration of requests also has the class of the status, by which dashboards find errors.
  expect(await scraped("request_duration_seconds_count", 'ingress="web"', 'service=""', 'status="4xx"')).toBe(3);
});

test("subrequests to an auth service are not counted", async () => {
  await ask(6, "asked.example", "/x");
  await reaches(6, "requests", 'ingress="asked"', 'status="200"');
  await reaches(6, "response_size_count", 'ingress="asked"');
});

test("many requests of different sizes count each with its own size", async () => {
  const sum = async () => (await scraped("request_size_sum", 'ingress="web"', 'service="web"'))!;
  const before = await sum();
  await ask(1, "one.example", "/x/");
  await reaches(41, "requests", 'ingress="web"', 'path="/x"');
  const one = (await sum()) - before;
  await Promise.all(Array.from({ length: 600 }, (_, more) => served.ask("one.example", `/x/${"a".repeat(more)}`)));
  await reaches(641, "requests", 'ingress="web"', 'path="/x"');
  expect((await sum()) - before).toBe(601 * one + (599 * 600) / 2);
});

test("a reload loses no count, and a removed Ingress loses its series", async () => {
  const busy = ask(30, "one.example", "/x/2");
  const annotations = 'nginx.ingress.kubernetes.io/proxy-read-timeout: "7"';
  served.write("web.yaml", toWeb({ host: "one.example", path: "/x", annotations }));
  await served.logged(/"why":"a new location setting/);
  await busy;
  await ask(10, "one.example", "/x/3");
  await reaches(681, "requests", 'ingress="web"', 'path="/x"');
  served.write("timed.yaml", undefined);
  await until("its series to go", async () => (await scraped("requests", 'ingress="timed"')) === undefined);
});

test("the counts of connections and processes are those of this nginx", async () => {
  const before = (await scraped("nginx_process_requests_total"))!;
  await ask(25, "one.example", "/x");
  const after = (await scraped("nginx_process_requests_total"))!;
  expect(after - before).toBeGreaterThanOrEqual(25);
  expect(await scraped("nginx_process_connections", 'state="active"')).toBeGreaterThan(0);
  // A master and at least one worker; the test's own process does not count.
  expect(await scraped("nginx_process_num_procs")).toBeGreaterThanOrEqual(2);
  expect(await scraped("nginx_process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  const began = (await scraped("nginx_process_oldest_start_time_seconds"))!;
  expect(Date.now() / 1000 - began).toBeLessThan(300);
  expect(Date.now() / 1000 - began).toBeGreaterThan(-2);
});
