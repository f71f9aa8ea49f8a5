/**
 * Flags whose effect a client, a scraper or a process list can see, on `sluice serve`; `test/e2e`
 * has those about a cluster.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { request } from "./support/request.ts";
import { ports, program, serving, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_960;
const files = {
  "web.yaml": `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop }
spec:
  rules: [{ host: one.example, http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] } }]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: away, namespace: shop }
spec:
  rules: [{ host: away.example, http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: away, port: { number: 80 } } } }] } }]
---
apiVersion: v1
kind: Service
metadata: { name: away, namespace: shop }
spec: { type: ExternalName, externalName: 192.0.2.1, ports: [{ port: 80 }] }
---
${webAt(backendPort)}---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: edge }
data: { server-snippet: 'add_header X-Settings edge always;' }
`,
};

async function served(flags: readonly string[]) {
  const backend = createServer((_request, response) => response.end("hello")).listen(backendPort, "127.0.0.1");
  onTestFinished(() => {
    backend.close();
    backend.closeAllConnections();
  });
  const one = await serving({ files, flags });
  onTestFinished(one.remove);
  return one;
}

test("--mode, --configmap, --healthz-host, --disable-svc-external-name, --sync-rate-limit and --health-check-timeout have their effect", async () => {
  const { ask, runFolder, health } = await served([
    "--mode=static",
    "--configmap=edge/settings",
    "--healthz-host=127.0.0.1",
    "--disable-svc-external-name",
    "--sync-rate-limit=100",
    "--health-check-timeout=3",
  ]);
  const answer = await ask("one.example");
  expect([answer.status, answer.body, answer.headers["x-settings"]]).toEqual([200, "hello", "edge"]);
  expect(readFileSync(join(runFolder, "nginx.conf"), "utf8")).not.toContain("lua_shared_dict");
  expect((await ask("away.example")).status).toBe(503);
  expect((await health()).status).toBe(200);
  await expect(request({ to: `192.0.2.1:${ports.health}`, path: "/healthz" })).rejects.toThrow("ECONNREFUSED");
});

test("--nginx-socket gets a warning, and neither configurations nor keys are sent to the socket", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nginx-socket-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const socket = join(folder, "nginx.sock");
  let connections = 0;
  const stranger = createServer(() => {}).listen(socket);
  stranger.on("connection", () => connections++);
  onTestFinished(() => {
    stranger.close();
    stranger.closeAllConnections();
  });
  const { ask, logged, nginxes } = await served([`--nginx-socket=${socket}`]);
  const warning = await logged(/--nginx-socket/);
  expect(JSON.stringify(warning)).toContain("--nginx-socket: it is about a cluster; it has no effect");
  expect((await ask("one.example")).body).toBe("hello");
  expect(nginxes()).toBeGreaterThan(1);
  expect(connections).toBe(0);
});

test("the flags about metrics determine labels, buckets and excluded metrics", async () => {
  const { ask, health } = await served([
    "--enable-metrics",
    "--metrics-per-host=false",
    "--report-status-classes",
    "--exclude-socket-metrics=nginx_ingress_controller_request_size",
    "--request-histograms=full",
    "--time-buckets=1,7",
    "--length-buckets=33",
    "--size-buckets=44",
  ]);
  await ask("one.example");
  const scraped = await until("the count", async () => {
    const { body } = await health("/metrics");
    return /^nginx_ingress_controller_requests\{.*\} 1$/m.test(body) && body;
  });
  const requests = /^nginx_ingress_controller_requests\{(.*)\} 1$/m.exec(scraped)![1]!;
  expect(requests).toContain('status="2xx"');
  expect(requests).not.toContain("host=");
  const bounds = (name: string) => [
    ...new Set(
      [...scraped.matchAll(new RegExp(`^nginx_ingress_controller_${name}_bucket\\{.*le="([^"]+)"`, "gm"))].map(
        ([, le]) => le,
      ),
    ),
  ];
  expect(bounds("request_duration_seconds")).toEqual(["1", "7", "+Inf"]);
  expect(bounds("response_size")).toEqual(["33", "+Inf"]);
  expect(bounds("bytes_sent")).toEqual(["44", "+Inf"]);
  expect(bounds("request_size")).toEqual([]);
});

test("--metrics-per-undefined-host counts requests for unknown hosts", async () => {
  const { ask, health } = await served(["--enable-metrics", "--metrics-per-undefined-host"]);
  expect((await ask("nobody.example")).status).toBe(404);
  await until("the count", async () => {
    const { body } = await health("/metrics");
    return /^nginx_ingress_controller_requests\{.*host="nobody.example".*\} 1$/m.test(body);
  });
});

test.each([
  ["serve", "--version", /^Sluice \S+\n$/i],
  ["run", "--version", /^Sluice \S+\n$/i],
  ["run", "--help", /--election-ttl DURATION/],
  ["run", "-h", /--election-ttl DURATION/],
])("%s %s prints and ends with 0", async (command, flag, printed) => {
  const { exitCode, stdout } = await execa(process.execPath, [program, command, flag], { reject: false });
  expect(exitCode).toBe(0);
  expect(`${stdout}\n`).toMatch(printed);
});
