/** `sluice compare` sends the same requests to two running Sluices. */
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compare } from "../../src/cli/compare.ts";
import type { Report } from "../../src/move/compare/report.ts";
import { ran } from "../golden/support/ran.ts";
import { ports, type Served, serving, toWeb, webAt } from "./support/serve.ts";

const backendPort = 21_904;
const otherPorts = { http: 21_091, https: 21_092, health: 21_093, status: 21_094, default: 21_095 };
const backends = webAt(backendPort);
const annotations = 'nginx.ingress.kubernetes.io/enable-cors: "true", nginx.ingress.kubernetes.io/app-root: /start';
const old = {
  "shop.yaml": toWeb({ host: "shop.example", annotations }),
  "other.yaml": toWeb({ host: "*.other.example", name: "other", path: "/api" }),
  "backends.yaml": backends,
};
const fresh = {
  ...old,
  "shop.yaml": toWeb({ host: "shop.example", annotations: annotations.replace("/start", "/begin") }),
  "other.yaml": toWeb({ host: "*.other.example", name: "other", path: "/v2" }),
};

const addresses = [
  `http://127.0.0.1:${ports.http},https://127.0.0.1:${ports.https}`,
  `http://127.0.0.1:${otherPorts.http},https://127.0.0.1:${otherPorts.https}`,
];

let backend: Server;
let served: readonly Served[] = [];
const seen: string[] = [];

beforeAll(async () => {
  backend = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers.host} ${request.url} ${request.headers.authorization ?? ""}`.trim());
    response.end(`${request.headers.host} ${request.url} at ${new Date().toISOString()}`);
  });
  await new Promise<void>((resolve) => backend.listen(backendPort, "127.0.0.1", resolve));
  const other = [
    `--http-port=${otherPorts.http}`,
    `--https-port=${otherPorts.https}`,
    `--healthz-port=${otherPorts.health}`,
    `--status-port=${otherPorts.status}`,
    `--default-server-port=${otherPorts.default}`,
  ];
  served = [await serving({ files: old }), await serving({ files: fresh, flags: other })];
});

afterAll(async () => {
  for (const one of served) await one.remove();
  backend.close();
  backend.closeAllConnections();
});

async function compared(...argv: readonly string[]): Promise<{ readonly code: number; readonly report: Report }> {
  const { code, text, failure } = await ran(compare, ...addresses, ...argv, "-o", "json");
  return { code, report: text === "" ? (failure as never) : JSON.parse(text) };
}

test("one request for each route finds a path that other objects answer differently", async () => {
  const { code, report } = await compared("--routes", served[0]!.folder);
  expect(code).toBe(1);
  const found = report.differing.map(({ host, path, differences: [first] }) => ({ host, path, ...first }));
  expect(found).toEqual([
    { host: "probe.other.example", path: "/api", field: "status", old: "200", new: "404" },
    { host: "probe.other.example", path: "/api/", field: "status", old: "200", new: "404" },
    {
      host: "shop.example",
      path: "/",
      field: "redirect",
      old: "http://shop.example/start",
      new: "http://shop.example/begin",
    },
  ]);
});

test("the GETs of an access log are sent to the host of their route, without credentials", async () => {
  const log = join(served[0]!.folder, "..", "access.log");
  const line = (request: string) =>
    `192.0.2.1 - - [x] "${request} HTTP/1.1" 200 1 "-" "-" 1 1 [shop-web-80] [] - - - - -`;
  writeFileSync(log, [line("GET /a?token=abc&x=1"), line("POST /b"), line("GET /a?token=def&x=1")].join("\n"));
  seen.length = 0;
  const { code, report } = await compared("--log", log, "--routes", served[0]!.folder, "--ignore-header", "x-nothing");
  expect(code).toBe(1);
  expect(report.notes).toEqual(["1 line of the log left out, because only GETs that can be read are sent again"]);
  const ofLog = seen.filter((one) => one.includes("x=1"));
  expect(ofLog).toEqual(["GET shop.example /a?token=&x=1", "GET shop.example /a?token=&x=1"]);
});

test("a Sluice that is compared with itself has no difference, also over https, and the exit code is 0", async () => {
  const file = join(served[0]!.folder, "..", "requests.txt");
  writeFileSync(file, "https://shop.example/a\nHEAD http://shop.example/\nhttp://nobody.example/\n");
  const [address = ""] = addresses;
  const { code, text } = await ran(compare, address, address, "--requests", file);
  expect(text).toBe("3 requests: 3 equal, 0 different at no places, 0 that vary by themselves, 0 without an answer\n");
  expect(code).toBe(0);
});
