/**
 * `upstream_ssl_verify_san`, our own module, in the image's nginx with real TLS backends: names
 * that fit and names that do not, resumed sessions, kept-alive connections that another location
 * has opened, and a balancer in Lua.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { type Container, inContainer, openImage, startContainer, testedSuite } from "./support/container.ts";

const spiffe = "URI:spiffe://cluster/shop";
/** Backends by name: their port, their names, and who signed them. */
const backends = {
  both: { port: 21_981, names: `DNS:shop.example,${spiffe}` },
  other: { port: 21_982, names: "DNS:other.example,URI:spiffe://cluster/shopping" },
  uri: { port: 21_983, names: spiffe },
  wild: { port: 21_984, names: "DNS:*.shop.example" },
  stranger: { port: 21_985, names: `DNS:shop.example,${spiffe}`, by: "otherca" },
  old: { port: 21_986, names: "DNS:shop.example", version: "TLSv1.2" },
} as const;
type Backend = keyof typeof backends;
const plainPort = 21_987;
/**
 * nginx 1.30 keeps connections without this line; nginx 1.26 keeps none, and does not know the
 * directive's value.
 */
const alone = testedSuite === "testing" ? "keepalive 0;" : "";

const folder = mkdtempSync(join(tmpdir(), "sluice-san-"));
const image = openImage();
const servers: Http2SecureServer[] = [];
/** Requests and connections that reached backends. */
let requests: string[] = [];
let connections: { readonly backend: Backend; readonly resumed: boolean }[] = [];
let pki: Pki;
let running: Container;

beforeAll(async () => {
  pki = await pkiIn(folder);
  for (const name of Object.keys(backends) as Backend[]) await serve(name);
  writeFileSync(join(folder, "nginx.conf"), configuration());
  chmodSync(folder, 0o755);
  running = startContainer(image, { args: ["nginx", "-c", "/conf/nginx.conf"], mounts: { "/conf": folder } });
  await until("nginx answers", () =>
    request({ to: "127.0.0.1:8081", path: "/up" }).then(
      ({ status }) => status === 204,
      () => false,
    ),
  );
});
afterAll(async () => {
  running?.kill("SIGTERM");
  const ended = await running?.ended;
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
  expect(ended?.text).not.toMatch(/\[(alert|emerg)\]|signal 11/);
});
beforeEach(() => {
  requests = [];
  connections = [];
});

function serve(name: Backend): Promise<void> {
  const backend: { port: number; names: string; by?: "otherca"; version?: "TLSv1.2" } = backends[name];
  const authority = pki[backend.by ?? "ca"];
  writeFileSync(join(folder, "authority.crt"), authority.certificate);
  writeFileSync(join(folder, "authority.key"), authority.key);
  const signing = ["-CA", "authority.crt", "-CAkey", "authority.key", "-addext", `subjectAltName=${backend.names}`];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", `${name}.pem`];
  // The subject has a name that is not one of the certificate's alternative names.
  const request = ["req", "-x509", "-days", "100", "-subj", "/CN=common.example", "-out", `${name}.cert`];
  execFileSync("openssl", [...request, ...key, ...signing], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const pair = { cert: readFileSync(join(folder, `${name}.cert`)), key: readFileSync(join(folder, `${name}.pem`)) };
  const server = createSecureServer(
    { ...pair, allowHTTP1: true, maxVersion: backend.version ?? "TLSv1.3" },
    (asked, answer) => {
      requests.push(`${name}${asked.url}`);
      answer.end(name);
    },
  );
  server.on("secureConnection", (socket: TLSSocket) =>
    connections.push({ backend: name, resumed: socket.isSessionReused() }),
  );
  // Some of the tests expect refused handshakes.
  server.on("tlsClientError", () => {});
  servers.push(server);
  return new Promise((resolve) => server.listen(backend.port, "127.0.0.1", () => resolve()));
}

/** A location for each pair of a way to connect and a backend; the request brings the names. */
function configuration(): string {
  const names = Object.keys(backends) as Backend[];
  const pool = (name: Backend) => `
upstream plain-${name} { server 127.0.0.1:${backends[name].port}; ${alone} }
upstream pool-${name} { server 127.0.0.1:${backends[name].port}; keepalive 4; }
upstream lua-${name} { server 0.0.0.1; balancer_by_lua_block { require("ngx.balancer").set_current_peer("127.0.0.1", ${backends[name].port}) } }`;
  const check = "upstream_ssl_verify_san $http_names;";
  const one = "proxy_http_version 1.1; proxy_set_header Connection '';";
  const location = (name: Backend) => `
location = /checked/${name} { ${check} proxy_pass https://plain-${name}; }
location = /grpc/${name} { ${check} grpc_ssl_verify on; grpc_ssl_trusted_certificate /conf/ca.crt; grpc_pass grpcs://plain-${name}; }
location = /lua/${name} { ${check} proxy_pass https://lua-${name}; }
location = /kept/${name} { ${check} ${one} proxy_pass https://pool-${name}; }
location = /anyone/${name} { ${one} proxy_ssl_verify off; proxy_pass https://pool-${name}; }
location = /fresh/${name} { ${check} proxy_pass https://plain-${name}; proxy_ssl_session_reuse on; }
location = /loose/${name} { proxy_ssl_verify off; proxy_pass https://plain-${name}; }`;
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((one) => `${one}_temp_path /tmp/${one};`);
  return `
load_module /usr/lib/nginx/modules/ndk_http_module.so;
load_module /usr/lib/nginx/modules/ngx_http_lua_module.so;
load_module /usr/lib/nginx/modules/ngx_http_upstream_ssl_san_module.so;
daemon off; worker_processes 1; pid /tmp/nginx.pid; error_log stderr info;
events {}
http {
  ${temp.join(" ")} access_log off;
  proxy_ssl_verify on; proxy_ssl_trusted_certificate /conf/ca.crt; proxy_ssl_server_name on; proxy_ssl_name sni.example;
  ${names.map(pool).join("")}
  # nginx resumes sessions that another location has left unverified, so this one has an upstream of its own.
  upstream own { server 127.0.0.1:${backends.both.port}; }
  upstream two { server 127.0.0.1:${backends.other.port}; server 127.0.0.1:${backends.both.port} backup; ${alone} }
  server {
    listen 127.0.0.1:8081;
    location = /up { return 204; }
    ${names.map(location).join("")}
    location = /two { upstream_ssl_verify_san dns:shop.example; proxy_pass https://two; }
    location = /fixed { upstream_ssl_verify_san dns:none.example "uri:spiffe://$http_trust/shop"; proxy_pass https://plain-both; }
    location = /foreign { ${one} proxy_ssl_session_reuse off; proxy_ssl_trusted_certificate /conf/otherca.crt; proxy_ssl_name shop.example; proxy_pass https://pool-stranger; }
    location = /own { proxy_ssl_name other.example; proxy_pass https://plain-other; }
    location = /own-wrong { proxy_pass https://plain-other; }
    location /inherited { upstream_ssl_verify_san dns:wrong.example;
      location = /inherited/off { upstream_ssl_verify_san off; proxy_ssl_name shop.example; proxy_pass https://own; }
      location = /inherited/on { proxy_ssl_name shop.example; proxy_pass https://plain-both; } }
    location = /unverified { upstream_ssl_verify_san dns:shop.example; proxy_ssl_verify off; proxy_pass https://plain-both; }
    location = /without-tls { upstream_ssl_verify_san dns:shop.example; proxy_pass http://127.0.0.1:${plainPort}; }
  }
}`;
}

const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
  (await request({ to: "127.0.0.1:8081", path, headers })).status;
const checked = (path: string, names: string) => ask(path, { names });

test.each([
  ["both", "dns:shop.example", 200],
  ["both", "dns:SHOP.example", 200],
  ["both", "dns:wrong.example", 502],
  ["both", "dns:common.example", 502],
  ["both", "dns:.example", 502],
  ["both", "dns:sni.example", 502],
  ["both", "uri:spiffe://cluster/shop", 200],
  ["both", "uri:spiffe://cluster/SHOP", 502],
  ["both", "uri:spiffe://cluster/sho", 502],
  ["both", "uri:shop.example", 502],
  ["both", "dns:spiffe://cluster/shop", 502],
  ["both", "dns:a.example  uri:b:c dns:shop.example", 200],
  ["both", "shop.example", 502],
  ["both", "dns: uri:", 502],
  ["both", "", 502],
  ["uri", "uri:spiffe://cluster/shop", 200],
  ["uri", "dns:sni.example", 502],
  ["other", "uri:spiffe://cluster/shop", 502],
  ["wild", "dns:a.shop.example", 200],
  ["wild", "dns:*.shop.example", 200],
  ["wild", "dns:a.b.shop.example", 502],
  ["wild", "dns:shop.example", 502],
  ["stranger", "dns:shop.example", 502],
  ["old", "dns:shop.example", 200],
  ["old", "dns:wrong.example", 502],
])("the certificate of the backend %s, with the required names %j, gives status %i", async (backend, names, status) => {
  for (const way of ["checked", "grpc", "lua", "kept"]) {
    requests = [];
    expect(await checked(`/${way}/${backend}`, names), way).toBe(status);
    expect(requests.length, way).toBe(status === 200 ? 1 : 0);
  }
});

test("a session of another location is not resumed", async () => {
  for (const backend of ["both", "old"]) {
    for (let i = 0; i < 3; i += 1) expect(await ask(`/loose/${backend}`)).toBe(200);
    expect(connections.some(({ resumed }) => resumed)).toBe(true);
    connections = [];
    expect(await checked(`/fresh/${backend}`, "dns:wrong.example")).toBe(502);
    for (let i = 0; i < 3; i += 1) expect(await checked(`/fresh/${backend}`, "dns:shop.example")).toBe(200);
    expect(connections.filter(({ resumed }) => resumed)).toEqual([]);
  }
});

test("a kept-alive connection serves only requests whose names it has", async () => {
  expect(await ask("/anyone/both")).toBe(200);
  expect(await checked("/kept/both", "dns:wrong.example")).toBe(502);
  expect(requests).toEqual(["both/anyone/both"]);
  requests = [];
  connections = [];
  for (let i = 0; i < 5; i += 1) expect(await checked("/kept/both", "dns:shop.example")).toBe(200);
  expect(connections.length).toBe(1);
  expect(await checked("/kept/both", "uri:spiffe://cluster/shop")).toBe(200);
  expect(connections.length).toBe(1);
  expect(await checked("/kept/both", "dns:wrong.example")).toBe(502);
  expect(requests.length).toBe(6);
});

test("a kept-alive connection that our authority has not verified is not used", async () => {
  expect(await ask("/anyone/stranger")).toBe(200);
  expect(await checked("/kept/stranger", "dns:shop.example")).toBe(502);
  expect(requests).toEqual(["stranger/anyone/stranger"]);
});

test("a kept-alive connection that another location's authority has verified is not used", async () => {
  expect(await ask("/foreign")).toBe(200);
  expect(await checked("/kept/stranger", "dns:shop.example")).toBe(502);
  expect(requests).toEqual(["stranger/foreign"]);
});

test("the next backend is tried when the first one has a wrong name", async () => {
  expect(await ask("/two")).toBe(200);
  expect(requests).toEqual(["both/two"]);
});

test("names may be literal text with variables, and a location inherits them", async () => {
  expect(await ask("/fixed", { trust: "cluster" })).toBe(200);
  expect(await ask("/fixed", { trust: "elsewhere" })).toBe(502);
  expect(await ask("/inherited/on")).toBe(502);
  expect(await ask("/inherited/off")).toBe(200);
});

test("locations without the directive are checked by nginx as before", async () => {
  expect(await ask("/own")).toBe(200);
  expect(await ask("/own-wrong")).toBe(502);
});

test("without TLS, or without a trusted authority, no request is sent", async () => {
  expect(await ask("/unverified")).toBe(500);
  expect(await ask("/without-tls")).toBe(500);
  expect(requests).toEqual([]);
});

test("a name that is neither dns nor uri is refused when nginx reads it", async () => {
  const text = configuration().replace("dns:none.example", "none.example");
  writeFileSync(join(folder, "wrong.conf"), text);
  const { text: printed, exitCode } = await inContainer(image, {
    args: ["nginx", "-t", "-c", "/conf/wrong.conf"],
    mounts: { "/conf": folder },
  });
  expect([exitCode, printed]).toEqual([
    1,
    expect.stringContaining('name "none.example" begins with neither "dns:" nor "uri:"'),
  ]);
});
