/**
 * Compares the CPU time of a request for an HTTPRoute with one for an Ingress, in one nginx: with
 * the same host names and backend, on the port of the Ingresses and on a port of a Gateway. It does
 * the same with rules that have conditions, only the last of which hold, and with a route in shadow
 * that would take each request.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { ports, serving } from "../nginx/support/serve.ts";
import { gatewayLive } from "./gateway-live.ts";
import type { Figure } from "./measured.ts";
import { cpuMicroseconds } from "./support/cpu.ts";
import { backend, startNginx } from "./support/hand-written.ts";
import { fileOf, filesOf, hostOf, settingsFlag } from "./support/hosts.ts";
import { type Load, openLoad } from "./support/load.ts";

const backendPort = 21_960;
const gatewayPorts = { plain: 21_961, conditions: 21_962, shadow: 21_963 };
const hosts = 100;
const pairs = 10;
const requestsEach = 2_000;
const warmUp = 5_000;
const group = "gateway.networking.k8s.io/v1";

type Way = "ingress" | "plain" | "conditions" | "shadow";
const ways: readonly Way[] = ["ingress", "plain", "conditions", "shadow"];
const turns = [...ways, ...ways.toReversed()];

const metadata = (name: string, annotations = {}) => ({
  name,
  annotations,
  namespace: "shop",
  uid: name,
  generation: 1,
  creationTimestamp: "2026-01-01T00:00:00Z",
});

const gatewayClass = {
  apiVersion: group,
  kind: "GatewayClass",
  metadata: { name: "sluice" },
  spec: { controllerName: "sluice.dev/gateway-controller" },
};

function gateway(name: keyof typeof gatewayPorts) {
  const listeners = [{ name: "web", port: gatewayPorts[name], protocol: "HTTP" }];
  return {
    apiVersion: group,
    kind: "Gateway",
    metadata: metadata(name),
    spec: { gatewayClassName: "sluice", listeners },
  };
}

/** Clients of the bench send neither the header nor the parameter that the first rules require. */
function route(at: number, name: keyof typeof gatewayPorts) {
  const backendRefs = [{ name: `app-${at}`, port: 80 }];
  const conditions = [
    { matches: [{ headers: [{ name: "X-Version", value: "two" }] }], backendRefs },
    { matches: [{ queryParams: [{ name: "version", value: "two" }] }], backendRefs },
  ];
  const rules = [...(name === "conditions" ? conditions : []), { backendRefs }];
  const spec = { parentRefs: [{ name }], hostnames: [hostOf(at)], rules };
  return { apiVersion: group, kind: "HTTPRoute", metadata: metadata(`${name}-${at}`), spec };
}

/** A route that is tried before the one that serves, and takes no request. */
function hidden(at: number) {
  const matches = [{ method: "GET" }];
  const rules = [{ matches, backendRefs: [{ name: `app-${at}`, port: 80 }] }];
  const spec = { parentRefs: [{ name: "shadow" }], hostnames: [hostOf(at)], rules };
  return {
    apiVersion: group,
    kind: "HTTPRoute",
    metadata: metadata(`hidden-${at}`, { "sluice.dev/shadow": "true" }),
    spec,
  };
}

export async function gateways(): Promise<Figure[]> {
  return [...(await gatewayRequests()), ...(await gatewayLive())];
}

async function gatewayRequests(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const names = Array.from({ length: hosts }, (_, at) => hostOf(at));
  const backends = await startNginx(backend(["127.0.0.1"], backendPort));
  const settings = {
    "access-log-path": join(folder, "access.log"),
    "keep-alive-requests": "1000000",
    "ssl-redirect": "false",
  };
  const files = filesOf({ hosts, endpoint: { address: "127.0.0.1", port: backendPort }, settings });
  const routes = names.flatMap((_, at) => [
    ...(["plain", "conditions", "shadow"] as const).map((name) => route(at, name)),
    hidden(at),
  ]);
  files["gateways.yaml"] = fileOf([
    gatewayClass,
    ...(["plain", "conditions", "shadow"] as const).map(gateway),
    ...routes,
  ] as never);
  const flags = [settingsFlag, "--mode=dynamic", "--enable-metrics=false"];
  const served = await serving({ files, flags, limitMs: 120_000 });
  const workers = nginxProcesses({ root: served.runFolder, conf: join(served.runFolder, "nginx.conf") }).flatMap(
    (one) => (one.role === "worker" && !one.draining ? [one.pid] : []),
  );
  const at: Record<Way, number> = { ingress: ports.http, ...gatewayPorts };

  const round = async (requests: number): Promise<Record<Way, number>> => {
    const cost = { ingress: 0, plain: 0, conditions: 0, shadow: 0 };
    const loads: Partial<Record<Way, Load>> = {};
    for (const way of turns) loads[way] ??= await openLoad({ protocol: "http", port: at[way], hosts: names }, 32);
    for (const way of turns) {
      const before = cpuMicroseconds(workers);
      await loads[way]!.run(requests);
      cost[way] += (cpuMicroseconds(workers) - before) / requests / 2;
    }
    for (const load of Object.values(loads)) load.close();
    return cost;
  };
  await round(warmUp);
  const found: Record<Way, number>[] = [];
  for (let pair = 0; pair < pairs; pair++) found.push(await round(requestsEach));
  await served.remove();
  await backends.stop();
  rmSync(folder, { recursive: true });
  return [
    {
      what: "HTTPRoute: CPU beside an Ingress",
      unit: "times",
      values: found.map(({ plain, ingress }) => plain / ingress),
      bound: 1.03,
    },
    {
      what: "HTTPRoute: CPU that a header and a query condition add",
      unit: "us",
      values: found.map(({ plain, conditions }) => Math.max(0, conditions - plain)),
      bound: 3,
    },
    {
      what: "HTTPRoute: CPU that a route in shadow adds",
      unit: "us",
      values: found.map(({ plain, shadow }) => Math.max(0, shadow - plain)),
      bound: 5,
    },
  ];
}
