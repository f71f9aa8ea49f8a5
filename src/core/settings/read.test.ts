import { expect, test } from "vitest";
import { sentence } from "../model/problem.ts";
import { readSettings } from "./read.ts";
import { defaultSettings } from "./registry.ts";

const object = { kind: "ConfigMap", namespace: "edge", name: "settings" };
const reading = (data: Readonly<Record<string, string>>, previous: Readonly<Record<string, string>> = {}) =>
  readSettings(data, object, previous);

test("without any keys all settings have their default", () => {
  expect(reading({})).toEqual({ settings: defaultSettings, problems: [], kept: {} });
});

test("a key in another letter case is found, and its value is read like that of the exact key", () => {
  const { settings, problems } = reading({ "HSTS-Max-Age": "99", "HTTP-Redirect-Code": "303", "Hide-Headers": "X-A" });
  expect(settings).toEqual({ ...defaultSettings, hstsMaxAge: 99, hideHeaders: ["X-A"] });
  expect(problems.map(sentence)).toEqual([
    'key http-redirect-code: "303" is not one of 301, 302, 307, 308; the default (308) is used',
  ]);
});

test("an unreadable value keeps the last good one, and does not affect other keys", () => {
  const previous = { "keep-alive": "10", "proxy-body-size": "5m" };
  const { settings, problems, kept } = reading({ "keep-alive": "75s", "proxy-body-size": "6m" }, previous);
  expect(kept).toEqual({ "keep-alive": "10" });
  expect(settings).toEqual({ ...defaultSettings, keepAlive: 10, proxyBodySize: "6m" });
  expect(problems.map(sentence)).toEqual([
    'key keep-alive: "75s" has a unit; it is a number of seconds, like 75; the last good value (10) is used',
  ]);
});

test.each([
  [{ "use-gzp": "true" }, "key use-gzp does not exist (did you mean use-gzip?); it is ignored"],
  [{ useGzip: "true" }, "key useGzip does not exist (did you mean use-gzip?); it is ignored"],
  [
    { "enable-ssl-passthrough": "true" },
    "key enable-ssl-passthrough does not exist: it is a flag of the controller, --enable-ssl-passthrough; it is ignored",
  ],
  [{ "limit-rps": "5" }, "key limit-rps does not exist: it is an annotation of an Ingress; it is ignored"],
  [{ "something-else-entirely": "1" }, "key something-else-entirely does not exist; it is ignored"],
  [
    { "jaeger-endpoint": "x" },
    "key jaeger-endpoint has no effect: OpenTracing was removed from ingress-nginx; use enable-opentelemetry",
  ],
  [
    { "zipkin-collector-host": "x" },
    "key zipkin-collector-host has no effect: OpenTracing was removed from ingress-nginx; use enable-opentelemetry",
  ],
  [
    { plugins: "skywalking" },
    "key plugins has no effect: Lua plugins were removed from ingress-nginx; a snippet can call Lua files of a volume",
  ],
  [
    { "enable-vts-status": "true" },
    "key enable-vts-status has no effect: the VTS module was removed from ingress-nginx; the metrics say the same",
  ],
  [{ "gzip-level": "9" }, "key gzip-level has no effect: it needs use-gzip"],
  [{ hsts: "true", HSTS: "false" }, "key HSTS has no effect: hsts is there in another spelling, too"],
  [{ "custom-http-errors": "teapot, 503" }, 'key custom-http-errors: "teapot" is not a whole number; 503 is used'],
  [
    { "annotations-risk-level": "Moderate" },
    'key annotations-risk-level: "Moderate" is taken as Low, the strictest of Critical, High, Medium, Low; Low is used',
  ],
  [
    { "log-format-upstream": "$nope" },
    /^key log-format-upstream: neither nginx nor a snippet of this ConfigMap declares \$nope; the default \(\$remote_addr - /,
  ],
  [
    { "log-format-upstream": "$host $geoip2_asn", "use-geoip2": "false" },
    /^key log-format-upstream: \$geoip2_asn exists only with use-geoip2, which is off; the default \(/,
  ],
  [
    { "http-snippet": "map $host" },
    'key http-snippet: line 1: ";" or "{" is missing after "map $host"; the default (empty) is used',
  ],
] as const)("the ConfigMap %j gives a Problem", (data, expected) => {
  expect(reading(data as Readonly<Record<string, string>>).problems.map(sentence)).toEqual([
    typeof expected === "string" ? expected : expect.stringMatching(expected),
  ]);
});

test.each([
  ["true", []],
  ["yes", ["use-geoip2"]],
])("a log format may name the country of a client where use-geoip2 is %s", (text, problems) => {
  const data = { "use-geoip2": text, "log-format-upstream": "$host $geoip2_country_code" };
  expect(reading(data).problems.map((problem) => "key" in problem && problem.key)).toEqual(problems);
});

test.each([
  [{ hsts: "" }, { hsts: false }],
  [{ "upstream-keepalive-connections": "" }, { upstreamKeepaliveConnections: 0 }],
  [{ "ssl-ciphers": "" }, { sslCiphers: undefined }],
  [{ "no-tls-redirect-locations": "" }, { noTlsRedirectLocations: [] }],
  [{ "keep-alive": "0x10" }, { keepAlive: 16 }],
  [{ "keep-alive": "010" }, { keepAlive: 8 }],
  [{ "proxy-max-temp-file-size": "1g" }, { proxyMaxTempFileSize: "1024m" }],
  [
    { "http-snippet": "map $host $mine { default 1; }", "log-format-upstream": "$mine" },
    { httpSnippet: "map $host $mine { default 1; }", logFormatUpstream: "$mine" },
  ],
] as const)("the ConfigMap %j is read without a Problem", (data, values) => {
  const expected = { settings: { ...defaultSettings, ...values }, problems: [], kept: {} };
  expect(reading(data as Readonly<Record<string, string>>)).toEqual(expected);
});

test.each([
  ["hsts-max-age", "hstsMaxAge"],
  ["keep-alive-requests", "keepAliveRequests"],
  ["proxy-body-size", "proxyBodySize"],
] as const)("an empty value of %s is a Problem, and the default is used", (key, name) => {
  const { settings, problems } = reading({ [key]: "" });
  expect([settings[name], problems.length]).toEqual([defaultSettings[name], 1]);
});

test("an unreadable guard closes while it has no last good value", () => {
  const data = { "whitelist-source-range": "192.0.2.300", "global-auth-url": "auth-service" };
  expect(reading(data).settings).toMatchObject({
    whitelistSourceRange: ["127.0.0.1"],
    globalAuthUrl: { kind: "refuse" },
  });
  const { settings } = reading(data, { "whitelist-source-range": "192.0.2.1" });
  expect(settings.whitelistSourceRange).toEqual(["192.0.2.1"]);
});
