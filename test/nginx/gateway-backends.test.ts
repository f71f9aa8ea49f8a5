/**
 * Routes from YAML to backends of every protocol, under `sluice serve`: websockets, TLS, bodies
 * that never end, and clients that choose a certificate or come through a load balancer.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { execa } from "execa";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type KeyPair, sharedPki } from "../support/pki.ts";
import { raw, request } from "./support/request.ts";
import { serving } from "./support/serve.ts";

const ports = { http: 21_092, https: 21_093, strangers: 21_094 };
const at = (port: number) => `127.0.0.1:${port}`;
const name = "www.example";
let plain: Server;
let secure: Server;

beforeAll(async () => {
  const { backend } = await sharedPki();
  const pair = { cert: backend.certificate, key: backend.key };
  [plain, secure] = await Promise.all([listening(createServer(answer)), listening(createSecureServer(pair, answer))]);
});
afterAll(() => {
  for (const server of [plain, secure]) server?.close();
});

/** Sends a description of the request, or a line every 20 ms without an end. */
function answer(asked: IncomingMessage, response: ServerResponse): void {
  const { headers, url = "", socket } = asked;
  if (!url.startsWith("/trickle")) {
    response.end(JSON.stringify({ headers, url, tls: (socket as { encrypted?: true }).encrypted === true }));
    return;
  }
  const tick = setInterval(() => response.write("line\n"), 20);
  response.on("close", () => clearInterval(tick));
}

/** Echoes over connections that are upgraded. */
async function listening(server: Server): Promise<Server> {
  server.on("upgrade", ({ url }: IncomingMessage, socket: Socket) => {
    socket.on("error", () => socket.destroy());
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    socket.write(`${url}\n`);
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const yaml = (...objects: readonly object[]): string => objects.map((one) => JSON.stringify(one)).join("\n---\n");
const gatewayApi = "gateway.networking.k8s.io/v1";
const metadata = (own: string) => ({ namespace: "shop", name: own });

function service(own: string, to: Server, appProtocol?: string): string {
  const port = { port: 80, ...(appProtocol === undefined ? {} : { appProtocol }) };
  const labels = { "kubernetes.io/service-name": own };
  return yaml(
    { apiVersion: "v1", kind: "Service", metadata: metadata(own), spec: { ports: [port] } },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata(`${own}-1`), labels },
      addressType: "IPv4",
      endpoints: [{ addresses: ["127.0.0.1"] }],
      ports: [{ port: (to.address() as AddressInfo).port }],
    },
  );
}

function gateway(listeners: readonly object[]): string {
  const controllerName = "sluice.dev/gateway-controller";
  return yaml(
    { apiVersion: gatewayApi, kind: "GatewayClass", metadata: { name: "sluice" }, spec: { controllerName } },
    {
      apiVersion: gatewayApi,
      kind: "Gateway",
      metadata: metadata("public"),
      spec: { gatewayClassName: "sluice", listeners },
    },
  );
}

const http = { name: "http", port: ports.http, protocol: "HTTP" };
const to = (...services: readonly string[]) => services.map((one) => ({ name: one, port: 80 }));
const below = (path: string) => [{ path: { type: "PathPrefix", value: path } }];
const route = (rules: readonly object[]): string =>
  yaml({
    apiVersion: gatewayApi,
    kind: "HTTPRoute",
    metadata: metadata("web"),
    spec: { parentRefs: [{ name: "public" }], rules },
  });

const ask = (path: string) => request({ to: at(ports.http), host: name, path });
const seen = async (path: string) => JSON.parse((await ask(path)).body);

/** Opens a websocket, sends a word, and returns the lines that came back. */
async function talk(path: string): Promise<string> {
  const socket = connect(ports.http, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.setEncoding("utf8");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${name}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
  let received = "";
  for await (const chunk of socket) {
    received += chunk;
    if (received.endsWith(`${path}\n`)) socket.write("word\n");
    if (received.endsWith("word\n")) break;
  }
  return received;
}

test("websockets, TLS by appProtocol and by a policy, and paths of single backends work under sluice serve", async () => {
  const { ca } = await sharedPki();
  const policy = (own: string, hostname: string) => ({
    apiVersion: gatewayApi,
    kind: "BackendTLSPolicy",
    metadata: metadata(own),
    spec: {
      targetRefs: [{ group: "", kind: "Service", name: own }],
      validation: { hostname, caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] },
    },
  });
  const rewrite = (path: object) => [{ type: "URLRewrite", urlRewrite: { path } }];
  const protocols = { ws: "kubernetes.io/ws", tls: "https", wss: "kubernetes.io/wss" };
  const rules = [
    ...["usual", "ws", "tls", "wss", "trusted", "strange"].map((one) => ({
      matches: below(`/${one}`),
      backendRefs: to(one),
    })),
    {
      matches: below("/prefix"),
      backendRefs: [
        { ...to("usual")[0], filters: rewrite({ type: "ReplacePrefixMatch", replacePrefixMatch: "/new" }) },
        { ...to("tls")[0], filters: rewrite({ type: "ReplaceFullPath", replaceFullPath: "/full" }) },
      ],
    },
  ];
  const { remove } = await serving({
    files: {
      "gateway.yaml": gateway([http]),
      "route.yaml": route(rules),
      "services.yaml": [
        service("usual", plain),
        service("ws", plain, protocols.ws),
        service("tls", secure, protocols.tls),
        service("wss", secure, protocols.wss),
        service("trusted", secure),
        service("strange", secure),
      ].join("\n---\n"),
      "policies.yaml": yaml(
        { apiVersion: "v1", kind: "ConfigMap", metadata: metadata("ca"), data: { "ca.crt": ca.certificate } },
        policy("trusted", "backend.example"),
        policy("strange", "other.example"),
      ),
    },
  });
  onTestFinished(remove);
  for (const path of ["/usual", "/ws", "/tls", "/wss", "/trusted"]) {
    expect.soft(await talk(path), path).toMatch(new RegExp(`^HTTP/1.1 101 [^]*${path}\nword\n$`));
  }
  for (const [path, tls] of [
    ["/usual", false],
    ["/ws", false],
    ["/tls", true],
    ["/wss", true],
    ["/trusted", true],
  ] as const) {
    expect.soft(await seen(path), `no websocket at ${path}`).toMatchObject({ url: path, tls });
  }
  expect((await ask("/strange")).status, "the certificate is for another name").toBe(502);

  const paths = new Set<string>();
  for (let n = 0; n < 60 && paths.size < 2; n++) {
    const { url, tls } = await seen("/prefix/a?q=1");
    expect(url).toBe(tls ? "/full?q=1" : "/new/a?q=1");
    paths.add(url);
  }
  expect(paths.size).toBe(2);
});

test("timeouts.request ends an answer whose body never ends", async () => {
  const { remove } = await serving({
    files: {
      "gateway.yaml": gateway([http]),
      "route.yaml": route([
        { matches: below("/trickle/short"), timeouts: { request: "300ms" }, backendRefs: to("usual") },
        { matches: below("/trickle"), timeouts: { request: "0s" }, backendRefs: to("usual") },
      ]),
      "services.yaml": service("usual", plain),
    },
  });
  onTestFinished(remove);
  const unlimited = connect(ports.http, "127.0.0.1");
  onTestFinished(() => void unlimited.destroy());
  unlimited.write(`GET /trickle HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
  await once(unlimited, "data");

  const began = performance.now();
  const body = await raw(at(ports.http), `GET /trickle/short HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
  expect(performance.now() - began).toBeGreaterThan(250);
  expect(body).toContain("line\n");
  expect(body, "the end of the chunks does not come").not.toMatch(/\r\n0\r\n\r\n$/);
  await once(unlimited, "data");
});

async function rsaPair(): Promise<KeyPair> {
  const key = ["-newkey", "rsa:2048", "-nodes", "-keyout", "-"];
  const names = ["-subj", "/CN=rsa.example", "-addext", "subjectAltName=DNS:*.example"];
  const { stdout } = await execa("openssl", ["req", "-x509", ...key, ...names, "-days", "30", "-out", "-"], {
    cwd: tmpdir(),
  });
  const pem = (what: string) => new RegExp(`-+BEGIN ${what}-+[^]*?-+END ${what}-+\n?`).exec(stdout)![0];
  return { key: pem("PRIVATE KEY"), certificate: pem("CERTIFICATE") };
}

test("a listener with certificates of two key types shows each client the one that it can verify", async () => {
  const [{ tls: ecdsa, alt }, rsa] = await Promise.all([sharedPki(), rsaPair()]);
  const base64 = (one: string) => Buffer.from(one).toString("base64");
  const secret = (own: string, { certificate, key }: KeyPair) => ({
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: metadata(own),
    data: { "tls.crt": base64(certificate), "tls.key": base64(key) },
  });
  const listener = (own: string, port: number, refs: readonly string[]) => ({
    ...{ name: own, port, protocol: "HTTPS" },
    tls: { certificateRefs: refs.map((one) => ({ name: one })) },
  });
  const { remove, printed } = await serving({
    files: {
      "gateway.yaml": gateway([
        listener("one", ports.https, ["rsa", "ecdsa", "alt"]),
        listener("other", ports.strangers, ["ecdsa", "rsa"]),
      ]),
      "secrets.yaml": yaml(secret("rsa", rsa), secret("ecdsa", ecdsa), secret("alt", alt)),
      "route.yaml": route([{ backendRefs: to("usual") }]),
      "services.yaml": service("usual", plain),
    },
  });
  onTestFinished(remove);
  const shown = async (port: number, more: object): Promise<string> => {
    const socket = connectTls({ host: "127.0.0.1", port, servername: name, rejectUnauthorized: false, ...more });
    await once(socket, "secureConnect");
    const { subject } = socket.getPeerCertificate();
    socket.write(`GET / HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
    return String(subject.CN);
  };
  const suites = { rsa: "ECDHE-RSA-AES128-GCM-SHA256", ecdsa: "ECDHE-ECDSA-AES128-GCM-SHA256" };
  const signatures = { rsa: "rsa_pss_rsae_sha256", ecdsa: "ecdsa_secp256r1_sha256" };
  for (const port of [ports.https, ports.strangers]) {
    for (const [type, commonName] of [
      ["rsa", "rsa.example"],
      ["ecdsa", "tls.example"],
    ] as const) {
      const old = { maxVersion: "TLSv1.2", ciphers: suites[type] };
      expect.soft(await shown(port, old), `TLS 1.2 with ${type}`).toBe(commonName);
      const fresh = { minVersion: "TLSv1.3", sigalgs: signatures[type] };
      expect.soft(await shown(port, fresh), `TLS 1.3 with ${type}`).toBe(commonName);
    }
  }
  const bySni = (servername: string) => shown(ports.https, { servername });
  expect(await bySni("alt.example"), "a further certificate for another name").toBe("alt.example");
  expect(printed()).not.toContain("problem");
});

test("with use-proxy-protocol the ports of Gateways require the header, and backends get the address in it", async () => {
  const data = { "use-proxy-protocol": "true" };
  const { remove } = await serving({
    files: {
      "settings.yaml": yaml({ apiVersion: "v1", kind: "ConfigMap", metadata: metadata("settings"), data }),
      "gateway.yaml": gateway([http]),
      "route.yaml": route([{ backendRefs: to("usual") }]),
      "services.yaml": service("usual", plain),
    },
    flags: ["--configmap=shop/settings"],
  });
  onTestFinished(remove);
  const asked = `GET / HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
  const answered = await raw(at(ports.http), `PROXY TCP4 198.51.100.7 198.51.100.8 4711 443\r\n${asked}`);
  expect(answered).toMatch(/^HTTP\/1.1 200 /);
  const { headers } = JSON.parse(/\{.*\}/.exec(answered)![0]);
  expect(headers).toMatchObject({ "x-real-ip": "198.51.100.7", "x-forwarded-for": "198.51.100.7" });
  expect(headers).toMatchObject({ "x-forwarded-port": "443", "x-forwarded-proto": "https" });
  expect(await raw(at(ports.http), asked), "without it").not.toMatch(/^HTTP\/1.1 200 /);
});
