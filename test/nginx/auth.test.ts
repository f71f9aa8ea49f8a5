/**
 * Tests authentication by requests, where a recording of ingress-nginx cannot show the right
 * answer: several cookies, kept connections, new passwords, error pages, disguised paths, and the
 * access log after a request to an auth service.
 */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, createServer, get, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { ingress } from "../support/ingress.ts";
import { backedService, ingressClass } from "../support/sketch.ts";
import { until } from "./support/until.ts";

const port = 8381;
const folder = mkdtempSync(join(tmpdir(), "auth-"));
const logFile = join(folder, "access.log");
const authAt = "192.0.2.85";
let auth: Service;
let backend: Service;
let subject: Subject;
let applied: KubernetesObject[] = [];

beforeAll(async () => {
  auth = await listen(authAt);
  backend = await listen("192.0.2.86");
  const flags = ["http", "https", "default-server", "status"].map((name, at) => `--${name}-port=${port + 10 * at}`);
  subject = await startSubject({ mode: "dynamic", flags, objects: surroundings() });
});

afterEach(async () => {
  await subject.remove(applied);
  applied = [];
  auth.answer = (_request, response) => response.end();
});

afterAll(async () => {
  await subject.stop();
  for (const { server } of [auth, backend]) server.close().closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** A server whose answers a test decides, with the number of its connections. */
interface Service {
  readonly server: Server;
  readonly port: number;
  readonly connections: Set<Socket>;
  answer: RequestListener;
}

async function listen(address: string): Promise<Service> {
  const connections = new Set<Socket>();
  const server = createServer((request, response) => service.answer(request, response));
  server.on("connection", (socket) => connections.add(socket)).listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const service: Service = { server, port, connections, answer: (_request, response) => response.end("secret") };
  return service;
}

function surroundings(): KubernetesObject[] {
  const settings = {
    "http-access-log-path": logFile,
    "log-format-upstream": "$ingress_name $service_name $proxy_upstream_name $location_path $status $upstream_addr",
  };
  return [
    ingressClass,
    object("v1", "ConfigMap", { name: "ingress-nginx-controller", namespace: "ingress-nginx" }, { data: settings }),
    ...backedService({ name: "web", addresses: ["192.0.2.86"], port: backend.port }),
  ];
}

function object(apiVersion: string, kind: string, metadata: object, rest: object): KubernetesObject {
  return { apiVersion, kind, metadata, ...rest } as KubernetesObject;
}

function secret(name: string, data: Record<string, string>): KubernetesObject {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return object("v1", "Secret", { name, namespace: "ns" }, { data: Object.fromEntries(encoded) });
}

function ingressOf(name: string, paths: readonly string[], annotations: Record<string, string>): KubernetesObject {
  const words = { name, host: "a.example", annotations, metadata: { uid: name } };
  return ingress({ ...words, paths: paths.map((path) => [path]) });
}

async function apply(...objects: KubernetesObject[]): Promise<void> {
  applied = [...applied, ...objects];
  await subject.apply(objects);
  await subject.settled();
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

function ask(path: string, headers: Record<string, string> = {}, agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: "192.0.2.1", port, path, headers: { Host: "a.example", ...headers }, agent };
    get(options, (answer) => {
      let body = "";
      answer.on("data", (data) => (body += data));
      answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, body }));
    }).on("error", reject);
  });
}

const authUrl = () => `http://${authAt}:${auth.port}/check`;

test("each cookie of the auth service is a header line of its own, beside those of the backend", async () => {
  auth.answer = (_request, response) => response.setHeader("Set-Cookie", ["a=1", "b=2"]).end();
  backend.answer = (request, response) => {
    response.statusCode = request.url === "/missing" ? 404 : 200;
    response.setHeader("Set-Cookie", "own=0").end("secret");
  };
  await apply(ingressOf("cookies", ["/"], { "auth-url": authUrl() }));
  expect((await ask("/")).headers["set-cookie"]).toEqual(["own=0", "a=1", "b=2"]);
  expect((await ask("/missing")).headers["set-cookie"]).toEqual(["own=0"]);
  await apply(ingressOf("cookies", ["/"], { "auth-url": authUrl(), "auth-always-set-cookie": "true" }));
  expect((await ask("/missing")).headers["set-cookie"]).toEqual(["own=0", "a=1", "b=2"]);
});

test("with auth-keepalive auth requests use kept connections, and have all their headers", async () => {
  auth.answer = (_request, response) => response.setHeader("X-User", "alice").end();
  backend.answer = (request, response) => response.end(String(request.headers["x-user"]));
  const headers = { "auth-response-headers": "X-User" };
  await apply(ingressOf("kept", ["/"], { ...headers, "auth-url": authUrl(), "auth-keepalive": "8" }));
  auth.connections.clear();
  for (let i = 0; i < 20; i++) expect(await ask("/")).toMatchObject({ status: 200, body: "alice" });
  const workers = 2;
  expect(auth.connections.size).toBeLessThanOrEqual(workers);
});

test("a new password is valid at once, and an open connection continues", async () => {
  const basic = { "auth-type": "basic", "auth-secret": "users", "auth-realm": "x" };
  const as = (password: string) => ({ Authorization: `Basic ${Buffer.from(`u:${password}`).toString("base64")}` });
  const one = new Agent({ keepAlive: true, maxSockets: 1 });
  await apply(secret("users", { auth: "u:{PLAIN}old\n" }), ingressOf("basic", ["/"], basic));
  expect([(await ask("/", as("old"), one)).status, (await ask("/", as("new"), one)).status]).toEqual([200, 401]);
  const [socket] = Object.values(one.freeSockets).flat();
  await apply(secret("users", { auth: "u:{PLAIN}new\n" }));
  expect([(await ask("/", as("old"), one)).status, (await ask("/", as("new"), one)).status]).toEqual([401, 200]);
  expect(Object.values(one.freeSockets).flat()).toEqual([socket]);
  one.destroy();
});

test("an error backend that answers 200 lets no request pass (CVE-2026-24513)", async () => {
  backend.answer = (request, response) => response.end(request.headers["x-code"] === undefined ? "secret" : "page");
  const errors = { "custom-http-errors": "401,403,500,502", "default-backend": "web" };
  await apply(ingressOf("guarded", ["/"], { ...errors, "auth-url": authUrl() }));
  for (const status of [401, 403, 500]) {
    auth.answer = (_request, response) => response.writeHead(status).end("no");
    expect((await ask("/")).body).not.toContain("secret");
  }
  await apply(ingressOf("guarded", ["/"], { ...errors, "auth-url": `http://${authAt}:1/` }));
  expect((await ask("/")).body).not.toContain("secret");
});

test("an operator's error pages for all hosts do not replace answers of the auth service", async () => {
  const operator = surroundings().filter(({ kind }) => kind === "ConfigMap");
  const withPages = operator.map((one) => ({
    ...one,
    data: { ...(one as { data?: object }).data, "http-snippet": "error_page 401 403 502 504 =200 /open;" },
  }));
  auth.answer = (_request, response) => response.writeHead(403).end("no");
  backend.answer = (request, response) => response.end(request.url === "/open" ? "page" : "secret");
  await apply(ingressOf("open", ["/open"], {}), ingressOf("guarded", ["/"], { "auth-url": authUrl() }));
  await subject.apply(withPages);
  await subject.settled();
  const refused = await ask("/");
  await apply(ingressOf("guarded", ["/"], { "auth-url": `http://${authAt}:1/` }));
  const unreachable = await ask("/");
  await subject.apply(operator);
  await subject.settled();
  expect([refused.body, unreachable.body]).not.toContain("secret");
});

test.each([
  "/admin",
  "/%61dmin",
  "//admin",
  "/x/..%2fadmin",
  "/x/%2e%2e/admin",
  "/./admin/",
  "/admin%2f",
  "/admin/x/..%2f..",
])("the path %s does not reach the guarded one without authentication", async (path) => {
  auth.answer = (_request, response) => response.writeHead(401).end();
  backend.answer = (request, response) => response.end(request.url);
  await apply(ingressOf("open", ["/"], {}), ingressOf("admin", ["/admin"], { "auth-url": authUrl() }));
  const { status, body } = await ask(path);
  if (status === 200) expect(new URL(body.replace(/%2f/gi, "/"), "http://x").pathname).not.toMatch(/^\/+admin/);
  else expect(status).toBe(401);
});

test("the access log names the Ingress of a request also after an auth request", async () => {
  backend.answer = (_request, response) => response.end();
  await apply(ingressOf("logged", ["/here"], { "auth-url": authUrl() }));
  for (let i = 0; i < 2; i++) await ask("/here/there");
  const lines = await until("both requests are logged", () => {
    const found = readFileSync(logFile, "utf8").match(/^logged .*$/gm) ?? [];
    return found.length > 1 && found;
  });
  const line = `logged web ns-web-80 /here 200 192.0.2.86:${backend.port}`;
  expect(lines).toEqual([line, line]);
});
