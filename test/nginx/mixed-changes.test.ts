/**
 * Makes 500 changes of every kind to the routes of hosts under traffic. Each request is answered,
 * and there are no more reloads than the token bucket allows, however many of the changes need one.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ingress } from "../support/ingress.ts";
import { ports, type Served, serving, webAt } from "./support/serve.ts";
import { steadyTraffic } from "./support/steady-traffic.ts";
import { until } from "./support/until.ts";

const changes = 500;
const hosts = Array.from({ length: 10 }, (_, at) => `h${at}.example`);
const [ratePerSecond, burst] = [0.5, 3];

interface Route {
  readonly paths?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The routes that a host may get in a round. `/` is always among them, and some shapes are new to
 * nginx in each round.
 */
const routesIn = (round: number): readonly Route[] => [
  {},
  { paths: ["/a", "/b/c"] },
  { annotations: { "proxy-body-size": "3m" } },
  { annotations: { "client-body-buffer-size": `${61 + round}k` } },
  { annotations: { "enable-cors": "true", "cors-allow-origin": "https://a.example" } },
  { paths: ["/x"], annotations: { "server-alias": "other.example" } },
  { annotations: { affinity: "cookie", "session-cookie-name": "c" } },
  { annotations: { "upstream-hash-by": "$request_uri" } },
  { annotations: { "limit-rps": "1000" } },
  { annotations: { "proxy-next-upstream-tries": "2" } },
];

function ingressOf(at: number, host: string, { paths = [], annotations = {} }: Route): string {
  const words = { name: `web-${at}`, namespace: "shop", host, annotations, ingressClass: "" };
  return JSON.stringify(ingress({ ...words, paths: ["/", ...paths].map((path) => [path]) }));
}

let backend: Server;
let served: Served;
beforeAll(async () => {
  backend = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  const { port } = backend.address() as AddressInfo;
  const first = hosts.map((host, at) => [`${at}.yaml`, ingressOf(at, host, {})] as const);
  const flags = [`--sync-rate-limit=${ratePerSecond}`, `--reload-burst=${burst}`];
  served = await serving({ files: { "web.yaml": webAt(port), ...Object.fromEntries(first) }, flags });
});
afterAll(async () => {
  await served?.remove();
  backend.close();
  backend.closeAllConnections();
});

test(`${changes} changes of routes fail no request, and cause no more reloads than the bucket allows`, async () => {
  const reloads = () => served.lines().filter(({ msg }) => msg === "applied with a reload").length;
  const isLive = async (round: number) => (await served.ask(`new-${round}.example`)).status === 200;
  const traffic = steadyTraffic(hosts.map((host) => ({ to: `127.0.0.1:${ports.http}`, host })));
  const [before, begun] = [reloads(), performance.now()];
  for (let round = 0; round < changes / hosts.length; round++) {
    const routes = routesIn(round);
    for (const [at, host] of hosts.entries())
      served.write(`${at}.yaml`, ingressOf(at, host, routes[(round + 3 * at) % routes.length]!));
    served.write("new.yaml", ingressOf(hosts.length, `new-${round}.example`, {}));
    await until("the newest host to be there", () => isLive(round));
  }
  const seconds = (performance.now() - begun) / 1000;
  const during = reloads() - before;
  await traffic.end();
  const asked = [...traffic.answers.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `${asked} requests, ${traffic.retries} of them asked twice; ${during} reloads in ${seconds.toFixed(0)} s`,
  );
  expect([...traffic.answers.keys()]).toEqual(["200"]);
  expect(during).toBeGreaterThan(0);
  expect(during).toBeLessThanOrEqual(burst + Math.ceil(seconds * ratePerSecond));
});
