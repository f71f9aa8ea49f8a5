import { expect, test } from "vitest";
import { machineAt } from "../../../../test/support/machine.ts";
import { sentence } from "../../model/problem.ts";
import { proxyBufferTokens } from "../../settings/buffer-sizes.ts";
import { defaultSettings, type Settings } from "../../settings/registry.ts";
import { type Capabilities, inMode } from "../../tokens/capabilities.ts";
import { directivesOf } from "./directives.ts";
import { requestHeaders } from "./forwarded.ts";
import { geoip2View } from "./geoip2.ts";
import { serverNamesHash } from "./hashes.ts";
import { quicLines } from "./http3.ts";
import { listenLines } from "./listen.ts";
import { telemetryFile } from "./tracing.ts";
import { settingsProblems } from "./view.ts";

const machine = machineAt("/run", 443, {
  cpus: 3,
  openFiles: 5024,
  nameservers: ["192.0.2.53", "2001:db8::53"],
  accessLog: "/dev/stdout",
  errorLog: "/dev/stderr",
  files: {
    dhParam: undefined,
    ticketKey: undefined,
    telemetry: "/run/telemetry.toml",
    modsecurityRules: "/etc/rules.conf",
    owaspRules: "/etc/owasp.conf",
    geoipDatabases: ["/geo/GeoLite2-ASN.mmdb", "/geo/GeoIP2-ISP.mmdb", "/geo/Other.mmdb"],
  },
});
const everything = machine.capabilities;

function lines(changed: Partial<Settings>, can: Partial<Capabilities> = {}, where = machine) {
  const blocks = directivesOf({ ...defaultSettings, ...changed }, { ...everything, ...can }, where);
  return [...blocks.main, ...blocks.events, ...blocks.http].map(({ name, value }) => `${name} ${value}`);
}

test("where names with underscores pass, nginx can find them, and the table of headers has room for all spellings", () => {
  for (const changed of [{ enableUnderscoresInHeaders: true }, { ignoreInvalidHeaders: false }]) {
    const printed = lines({ ...changed, proxyHeadersHashMaxSize: 4096 });
    expect(printed).toContain("underscores_in_headers on");
    expect(printed).toContain("proxy_headers_hash_bucket_size 256");
    expect(printed).toContain("proxy_headers_hash_max_size 4096");
  }
  expect(lines({})).toContain("proxy_headers_hash_bucket_size 64");
});

test("for gRPC only Sluice's own header is removed in other spellings, because its table is small", () => {
  const through = { ...defaultSettings, enableUnderscoresInHeaders: true };
  const removed = requestHeaders(through, machine, false).filter(({ name }) => String(name).includes("_"));
  const forGrpc = removed.filter(({ onlyHttp }) => onlyHttp !== true).map(({ name }) => String(name));
  expect(forGrpc.sort()).toEqual(["x-sluice_hops", "x_sluice-hops", "x_sluice_hops"]);
  expect(removed.length).toBeGreaterThan(30);
});

test.each<[string, Partial<Settings>, string]>([
  ["auto is the number of CPUs", {}, "worker_processes 3"],
  ["a number of workers is used as it is", { workerProcesses: 2 }, "worker_processes 2"],
  ["open files are the process's limit less 1024", {}, "worker_rlimit_nofile 4000"],
  ["0 connections mean three quarters of the open files", { maxWorkerConnections: 0 }, "worker_connections 3000"],
  ["a list is a directive for each", { hideHeaders: ["X-A", "X-B"] }, "proxy_hide_header X-B"],
  ["one value sets two directives", { proxyReadTimeout: 7 }, "grpc_read_timeout 7s"],
  ["relative redirects are not absolute", { relativeRedirects: true }, "absolute_redirect off"],
  ["IPv6 addresses of name servers are in brackets", {}, "resolver 192.0.2.53 [2001:db8::53] valid=30s"],
  ["disable-ipv6-dns looks up no IPv6 addresses", { disableIpv6Dns: true }, "resolver 192.0.2.53 valid=30s ipv6=off"],
  ["the buckets hold the longest pattern", { blockReferers: ["x".repeat(200)] }, "map_hash_bucket_size 256"],
  [
    "retry-non-idempotent retries POST, too",
    { retryNonIdempotent: true },
    "proxy_next_upstream error timeout non_idempotent",
  ],
  [
    "proxy-redirect has a text and its replacement",
    { proxyRedirectFrom: "http://a/", proxyRedirectTo: "/$1" },
    'proxy_redirect "http://a/" "/$1"',
  ],
  ["the session cache has its size", { sslSessionCacheSize: "1m" }, "ssl_session_cache shared:SSL:1m"],
])("%s", (_title, changed, expected) => {
  expect(lines(changed)).toContain(expected);
});

test.each<[string, Partial<Settings>, Partial<Capabilities>, RegExp]>([
  ["brotli without its module", { enableBrotli: true }, { brotli: false }, /^brotli/],
  ["a setting of gzip while gzip is off", { gzipLevel: 9 }, {}, /^gzip/],
  [
    "proxy_redirect default, which nginx refuses in the http block",
    { proxyRedirectFrom: "default" },
    {},
    /^proxy_redirect/,
  ],
  ["http2 as a directive of its own before 1.25.1", {}, { http2Directive: false }, /^http2 /],
])("the text leaves out %s", (_title, changed, can, pattern) => {
  expect(lines(changed, can).filter((line) => pattern.test(line))).toEqual([]);
});

test("without nameservers there is no resolver", () => {
  expect(lines({}, {}, { ...machine, nameservers: [] }).filter((line) => line.startsWith("resolver"))).toEqual([]);
});

test.each([
  [{ number: 4, size: "4k", busy: undefined, maxTempFile: "1024m" }, ["4k", "4 4k", undefined, "1024m"]],
  [{ number: 2, size: "4k", busy: undefined, maxTempFile: "0" }, ["4k", "2 4k", "4096", "0"]],
  [{ number: 8, size: "4k", busy: "1k", maxTempFile: "1k" }, ["4k", "8 4k", "4096", "4k"]],
  [{ number: 4, size: "4k", busy: "64k", maxTempFile: "1m" }, ["4k", "4 4k", "12288", "1m"]],
  [{ number: 4, size: "4k", busy: "8k", maxTempFile: "1m" }, ["4k", "4 4k", "8k", "1m"]],
])("buffers %j get sizes that fit each other", (buffers, expected) => {
  expect(Object.values(proxyBufferTokens(buffers)).map((token) => token && String(token))).toEqual(expected);
});

test.each<[Partial<Settings>, Partial<Capabilities>, string[]]>([
  [{}, {}, ["443 default_server reuseport backlog=511 ssl", "[::]:443 default_server reuseport backlog=511 ssl"]],
  [{ disableIpv6: true, reusePort: false }, { http2Directive: false }, ["443 default_server backlog=511 ssl http2"]],
  [
    {
      bindAddress: ["192.0.2.1", "2001:db8::1"],
      bindAddressIpv4: ["192.0.2.1"],
      useProxyProtocol: true,
      reusePort: false,
    },
    {},
    [
      "192.0.2.1:443 default_server backlog=511 proxy_protocol ssl",
      "[2001:db8::1]:443 default_server backlog=511 proxy_protocol ssl",
    ],
  ],
])("the listen lines for %j are correct", (changed, can, expected) => {
  const listener = { port: 443, tls: true, catchAll: true };
  const words = listenLines({ ...defaultSettings, ...changed }, { ...everything, ...can }, machine, listener);
  expect(words.map(String)).toEqual(expected);
});

test.each<[Partial<Settings>, Partial<Capabilities>, boolean, string[]]>([
  [{}, {}, true, []],
  [{ useHttp3: true }, { http3: false }, true, []],
  [{ useHttp3: true, sslProtocols: ["TLSv1.2"] }, {}, true, []],
  [{ useHttp3: true }, {}, true, ["443 quic default_server reuseport", "[::]:443 quic default_server reuseport"]],
  [{ useHttp3: true, disableIpv6: true, reusePort: false, useProxyProtocol: true }, {}, false, ["443 quic"]],
])("the listen lines of HTTP/3 for %j and %j are correct", (changed, can, catchAll, expected) => {
  const settings = { ...defaultSettings, ...changed };
  const words = quicLines(settings, { ...everything, ...can }, machine, { port: 443, catchAll });
  expect(words.map(String)).toEqual(expected);
});

test("the table of host names grows with their number", () => {
  const long = `${"a".repeat(60)}.${"b".repeat(60)}.example`;
  const sizes = serverNamesHash({ ...defaultSettings, serverNameHashMaxSize: 16 }, [long, "x"]);
  expect(sizes.map(({ name, value }) => `${name} ${value}`)).toEqual([
    "server_names_hash_max_size 256",
    "server_names_hash_bucket_size 256",
  ]);
});

test("a variable that two databases have is declared once, and unknown databases are ignored", () => {
  const { databases } = geoip2View({ ...defaultSettings, useGeoip2: true }, everything, machine) as unknown as {
    databases: { file: unknown; variables: { name: unknown }[] }[];
  };
  expect(databases.map(({ file, variables }) => [String(file), variables.map(({ name }) => String(name))])).toEqual([
    ['"/geo/GeoLite2-ASN.mmdb"', ["$geoip2_asn", "$geoip2_org"]],
    ['"/geo/GeoIP2-ISP.mmdb"', ["$geoip2_isp", "$geoip2_isp_org"]],
  ]);
});

test("values in the telemetry file are quoted", () => {
  expect(telemetryFile({ ...defaultSettings, otelServiceName: 'a"\\b', otlpCollectorHost: "otel.svc" })).toContain(
    'host = "otel.svc"\nport = 4317\n',
  );
  expect(telemetryFile({ ...defaultSettings, otelServiceName: 'a"\\b' })).toContain('name = "a\\"\\\\b"');
});

test("a key that this nginx does not support is a Problem", () => {
  const object = { kind: "ConfigMap", name: "settings" };
  const settings = { ...defaultSettings, enableBrotli: true, useGeoip2: false };
  const can = { ...everything, brotli: false, geoip2: false };
  expect(settingsProblems(settings, can, machine, object).map(sentence)).toEqual([
    "key enable-brotli has no effect: nginx here has no brotli module",
  ]);
  const blind = { ...machine, files: { ...machine.files, geoipDatabases: [] } };
  expect(settingsProblems({ ...defaultSettings, useGeoip2: true }, everything, blind, object).map(sentence)).toEqual([
    "key use-geoip2 has no effect: no database of --maxmind-edition-ids is in the folder of --geoip-folder",
  ]);
  const http3 = { ...defaultSettings, useHttp3: true };
  expect(settingsProblems({ ...http3, sslProtocols: ["TLSv1.2"] }, everything, machine, object).map(sentence)).toEqual([
    "key use-http3 has no effect: it needs TLSv1.3, which ssl-protocols leaves out",
  ]);
  expect(settingsProblems(http3, { ...everything, headersMore: false }, machine, object).map(sentence)).toEqual([
    "key use-http3 has no effect: clients would not learn of it: nginx here has no headers-more module",
  ]);
});

test("a key that needs Lua is a Problem in static mode", () => {
  const object = { kind: "ConfigMap", name: "settings" };
  const settings: Settings = {
    ...defaultSettings,
    loadBalance: "ewma",
    luaSharedDicts: [{ name: "mine", kilobytes: 64 }],
    globalAuthUrl: { kind: "ask", url: "http://auth.shop/" },
    globalAuthSignin: "http://auth.shop/login",
    globalAuthResponseHeaders: ["X-User"],
  };
  expect(settingsProblems(settings, everything, machine, object)).toEqual([]);
  expect(settingsProblems(settings, inMode("static", everything), machine, object).map(sentence)).toEqual([
    "key lua-shared-dicts has no effect: nginx here has no Lua module",
    "key load-balance has no effect: static mode has no ewma; requests go round in turn",
    "key global-auth-signin: static mode cannot escape the address that the client came from, so the page gets it up to the first &",
    "key global-auth-response-headers: static mode passes on only the first of several headers of one name, and only the first of several cookies",
  ]);
});
