/**
 * Tests that `sluice why`, `sluice routes`, the page and the metrics tell how a backend fails: one
 * that refuses, one that resets, TLS to a plain port, one that is slow, and one that answers 500.
 */
import { createServer as createHttp } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import type { RouteDetail, RouteList } from "../../src/ask/page/api/routes.ts";
import { program, serving, toWeb } from "./support/serve.ts";
import { until } from "./support/until.ts";

const annotation = (name: string, value: string) => `nginx.ingress.kubernetes.io/${name}: "${value}"`;

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A Service of shop with one endpoint. */
const backend = (name: string, port: number) => `apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: shop }
spec: { ports: [{ port: 80, targetPort: ${port} }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: ${name}, namespace: shop, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
endpoints: [{ addresses: [127.0.0.1] }]
ports: [{ port: ${port} }]
`;

const to = (name: string, annotations = "") =>
  toWeb({ name, host: `${name}.example`, annotations }).replace("service: { name: web", `service: { name: ${name}`);

test("why, routes, page and metrics tell how each backend fails, and a sound one stays ok", async () => {
  const sound = await listening(createHttp((_request, response) => response.end("ok")));
  const plain = await listening(createHttp((_request, response) => response.end("ok")));
  const wrong = await listening(createHttp((_request, response) => response.writeHead(500).end("no")));
  const slow = await listening(createHttp(() => {}));
  const reset = await listening(createServer((socket) => socket.once("data", () => socket.resetAndDestroy())));
  const gone = createServer();
  const dead = await listening(gone);
  await new Promise((resolve) => gone.close(resolve));
  const ports = { sound, wrong, slow, reset, dead, plain };
  const annotations: Partial<Record<string, string>> = {
    plain: annotation("backend-protocol", "HTTPS"),
    slow: annotation("proxy-read-timeout", "1"),
  };
  const files = Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [
      `${name}.yaml`,
      `${to(name, annotations[name])}---\n${backend(name, port)}`,
    ]),
  );
  const served = await serving({ files, flags: ["--enable-metrics"] });
  onTestFinished(served.remove);
  for (const name of Object.keys(ports))
    await served.ask(`${name}.example`, "/cart?token=secret", { cookie: "a=secret" });

  const why = async (name: string) => {
    const url = `http://${name}.example/`;
    return (await execa(process.execPath, [program, "why", url, `--run-folder=${served.runFolder}`], { reject: false }))
      .stdout;
  };
  const tells = (name: string, pattern: RegExp) =>
    until(`why to tell ${pattern} of ${name}`, async () => pattern.test(await why(name)));
  await tells(
    "dead",
    /failed: +127\.0\.0\.1:\d+: connect\(\) failed \(111: Connection refused\) while\s+connecting\s+to\s+upstream/,
  );
  await tells("reset", /Connection reset by\s+peer/);
  await tells("plain", /wrong version number/);
  await tells("slow", /upstream timed out \(110: Connection timed out\)/);
  await tells("dead", /GET 502 after [\d.]+ s from nginx, which got no answer/);
  await tells("slow", /GET 504 after/);
  await tells("wrong", /GET 500 after [\d.]+ s from the backend/);
  expect(await why("sound")).not.toContain("failed:");

  const answer = async (path: string) => JSON.parse((await served.health(`/ui/api/v1/${path}`)).body);
  const { rows }: RouteList = await answer("routes?limit=500");
  const states = Object.fromEntries(
    rows.filter(({ owner }) => owner.name !== "").map(({ host, state }) => [host, state]),
  );
  expect(states).toMatchObject({
    "wrong.example": "failing",
    "slow.example": "failing",
    "dead.example": "failing",
    "sound.example": "ok",
  });
  const failing: RouteList = await answer("routes?filter=failing");
  expect(failing.rows.map(({ host }) => host)).toContain("reset.example");
  const detail: RouteDetail = await answer("route?host=reset.example&path=/&owner=shop/reset");
  expect(detail.endpoints[0]!.lastError).toMatch(/Connection reset by peer/);
  expect(detail.failed[0]).toMatch(/^GET 502 after/);
  const { stdout: routes } = await execa(process.execPath, [program, "routes", `--run-folder=${served.runFolder}`]);
  expect(routes).toMatch(
    /dead\.example.*\n +failing: 127\.0\.0\.1:\d+: connect\(\) failed \(111: Connection refused\)/,
  );
  const { body } = await served.health("/metrics");
  for (const reason of ["refused", "reset", "tls", "timeout"])
    expect(body).toMatch(new RegExp(`sluice_upstream_errors_total\\{reason="${reason}"\\} [1-9]`));
  expect(`${JSON.stringify(detail)}${routes}${await why("dead")}`).not.toContain("secret");
});
