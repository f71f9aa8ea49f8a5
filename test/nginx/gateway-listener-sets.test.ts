/**
 * Tests ListenerSets under `sluice serve`: the guide of docs/gateway-api.md, the cost of a change,
 * and a hostile set.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { sharedPki } from "../support/pki.ts";
import { request } from "./support/request.ts";
import { type Served, serving, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/gateway-api.md"), "utf8");
const [port, tlsPort, newPort, takenPort] = [21_191, 21_192, 21_193, 21_194];
const guide = /\n## ListenerSets\n.*?^```yaml\n(.*?)^```$/ms.exec(page)![1]!.replaceAll("port: 8000", `port: ${port}`);
const askAt = (at: number) => (host: string, path?: string) =>
  request({ to: `127.0.0.1:${at}`, host, ...(path === undefined ? {} : { path }) });
const ask = askAt(port);
const backendPort = 21_195;

let backend: Server;
beforeAll(async () => {
  backend = createServer((request, response) => response.end(`${request.headers.host} ${request.url}`));
  await new Promise<void>((resolve) => backend.listen(backendPort, "127.0.0.1", resolve));
});
afterAll(() => {
  backend.close();
  backend.closeAllConnections();
});

const apiVersion = "gateway.networking.k8s.io/v1";
interface SetWords {
  readonly name?: string;
  readonly namespace?: string;
  readonly listeners: readonly object[];
}
const set = ({ name = "late", namespace = "shop", listeners }: SetWords) =>
  JSON.stringify({
    apiVersion,
    kind: "ListenerSet",
    metadata: { name, namespace },
    spec: { parentRef: { name: "public", namespace: "infra" }, listeners },
  });
const routeTo = (name: string) =>
  JSON.stringify({
    apiVersion,
    kind: "HTTPRoute",
    metadata: { name: `to-${name}`, namespace: "shop" },
    spec: { parentRefs: [{ kind: "ListenerSet", name }], rules: [{ backendRefs: [{ name: "web", port: 80 }] }] },
  });
const http = (hostname: string, more: object = {}) => {
  return { name: hostname.split(".")[0], port, protocol: "HTTP", hostname, ...more };
};

async function serveGuide(
  files: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Served> {
  const served = await serving({ files: { "guide.yaml": guide, "web.yaml": webAt(backendPort), ...files }, flags });
  onTestFinished(served.remove);
  return served;
}
const reloads = ({ lines }: Served) => lines().filter(({ msg }) => msg === "applied with a reload").length;

test("the guide's objects are served unchanged, and logs name the set", async () => {
  const log = join(mkdtempSync(join(tmpdir(), "sluice-sets-")), "access.log");
  onTestFinished(() => rmSync(dirname(log), { recursive: true }));
  const format = "at $gateway listener $listener by $route";
  const settings = { "access-log-path": log, "log-format-upstream": format };
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "infra", name: "it" },
    data: settings,
  };
  const served = await serveGuide({ "settings.json": JSON.stringify(configMap) }, [
    "--configmap=infra/it",
    "--enable-metrics",
  ]);
  expect((await ask("www.shop.example", "/a")).body).toBe("www.shop.example /a");
  expect((await ask("a.infra.example")).status, "the Gateway's own listener has no route").toBe(404);
  expect((await ask("other.shop.example")).status).toBe(404);
  await until(
    () => `the log ${readFileSync(log, "utf8")}`,
    () => readFileSync(log, "utf8").includes("at infra/public listener shop/more/http by shop/web"),
  );
  const label = 'gateway="infra/public",listener="shop/more/http",route="shop/web"';
  await until("the metrics", async () => (await served.health("/metrics")).body.includes(label));
});

test("a new host or certificate of a set needs no reload, and a new port needs one", async () => {
  const served = await serveGuide({ "route.json": routeTo("late") });
  const pki = await sharedPki();
  const before = reloads(served);
  served.write("set.json", set({ listeners: [http("late.example")] }));
  await until("the host", async () => (await ask("late.example")).status === 200);
  expect(reloads(served) - before, "for a host").toBe(0);
  const tls = { port: tlsPort, protocol: "HTTPS", tls: { certificateRefs: [{ name: "tls" }] } };
  served.write("set.json", set({ listeners: [http("late.example"), http("tls.example", tls)] }));
  await until("the port", () => reloads(served) - before === 1);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const data = { "tls.crt": base64(pki.tls.certificate), "tls.key": base64(pki.tls.key) };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "shop", name: "tls" }, data };
  served.write("secret.json", JSON.stringify(secret));
  const overTls = () => request({ to: `127.0.0.1:${tlsPort}`, sni: "tls.example", host: "tls.example" });
  await until("the certificate", async () => (await overTls().catch(() => undefined))?.status === 200);
  served.write("set.json", set({ listeners: [http("later.example"), http("tls.example", tls)] }));
  await until("the other host", async () => (await ask("later.example")).status === 200);
  expect((await ask("late.example")).status).toBe(404);
  expect(reloads(served) - before, "for a port, and nothing else").toBe(1);
});

test("a hostile set gets no host, port or listener of others, and a refusal affects only the set", async () => {
  const served = await serveGuide({ "route.json": routeTo("late"), "evil-route.json": routeTo("zz-evil") });
  const stranger = createServer().listen(takenPort, "0.0.0.0");
  await new Promise((resolve) => stranger.once("listening", resolve));
  onTestFinished(() => void stranger.close());
  const listeners = [
    http("www.shop.example"),
    { ...http("*.infra.example"), name: "http" },
    { name: "any", port, protocol: "HTTPS", hostname: "x.infra.example", tls: { certificateRefs: [{ name: "none" }] } },
    { name: "tcp", port, protocol: "TCP" },
    http("evil.example"),
  ];
  served.write("evil.json", set({ name: "zz-evil", listeners }));
  await until("what it may have", async () => (await ask("evil.example")).status === 200);
  expect((await ask("www.shop.example")).body).toBe("www.shop.example /");
  expect((await ask("x.infra.example")).status).toBe(404);
  expect((await ask("a.infra.example")).status).toBe(404);

  const greedy = [...listeners, http("port.example", { port: takenPort })];
  served.write("evil.json", set({ name: "zz-evil", listeners: greedy }));
  const refused = await served.logged(/ListenerSet.*zz-evil.*nginx refused it/);
  expect(JSON.stringify(refused)).toContain(String(takenPort));
  expect((await ask("evil.example")).status, "the last good version").toBe(200);
  served.write("set.json", set({ listeners: [http("port.late.example", { port: newPort })] }));
  await until("the port of another set", async () => {
    return (await askAt(newPort)("port.late.example").catch(() => undefined))?.status === 200;
  });
  expect((await ask("www.shop.example")).status).toBe(200);
});
