/**
 * Tests keys about modules that not every nginx has. If the nginx under test lacks a module, its
 * test is skipped with the reason.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RenderedFile } from "../../src/core/render/rendered-files.ts";
import { filesOf } from "../../src/core/render/rendered-files.ts";
import { inEveryLocation } from "../../src/core/render/settings/everywhere.ts";
import { withSettingsFiles } from "../../src/core/render/settings/files.ts";
import { settingsView } from "../../src/core/render/settings/view.ts";
import { readSettings } from "../../src/core/settings/read.ts";
import { machineAt } from "../support/machine.ts";
import { mmdb } from "../support/mmdb.ts";
import { startConfigured } from "./support/configured.ts";
import { installedNginx } from "./support/installed.ts";
import { settingsConf } from "./support/settings-conf.ts";
import { until } from "./support/until.ts";

const can = await installedNginx();
const object = { kind: "ConfigMap", namespace: "edge", name: "settings" };
const lacking = (module: string) => `nginx here has no ${module} module`;

test("use-geoip2 gives the country of a client, and geoip2-autoreload-in-minutes loads a newer database", async ({
  skip,
}) => {
  skip(!can.geoip2, lacking("GeoIP2"));
  const folder = mkdtempSync(join(tmpdir(), "sluice-geoip-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string) => {
    writeFileSync(join(folder, "new"), mmdb("GeoLite2-Country", 192, { country: { iso_code: name } }));
    renameSync(join(folder, "new"), join(folder, "GeoLite2-Country.mmdb"));
  };
  write("AQ");
  const flags = [`--geoip-folder=${folder}`, "--maxmind-edition-ids=GeoLite2-Country,GeoLite2-ASN"];
  const it = await startConfigured({ port: 23_120, flags });
  onTestFinished(it.stop);
  const country = async () => (await it.ask()).headers?.["x-country"];
  const settings = { "use-geoip2": "true", "http-snippet": 'add_header X-Country "in $geoip2_country_code";' };
  await it.set(settings);
  expect(await country()).toBe("in AQ");
  expect(it.values("auto_reload")).toEqual([]);
  await it.set({ ...settings, "geoip2-autoreload-in-minutes": "1" });
  expect(it.values("auto_reload")).toEqual(["1m"]);
});

test("use-geoip2 without a database causes a Problem and affects nothing else", async ({ skip }) => {
  skip(!can.geoip2, lacking("GeoIP2"));
  const it = await startConfigured({ port: 23_130, flags: ["--geoip-folder=/nonexistent"] });
  onTestFinished(it.stop);
  await it.set({ "use-geoip2": "true" });
  await until("the Problem", () => it.problems().some((text) => text.includes("no database of --maxmind-edition-ids")));
  expect((await it.ask()).status).toBe(200);
});

/**
 * No package of Debian has the OpenTelemetry module, so the text and the file are checked instead.
 */
test("the keys of OpenTelemetry are in nginx.conf and in the telemetry file", () => {
  const { settings, problems } = readSettings(
    {
      "enable-opentelemetry": "true",
      "opentelemetry-operation-name": "$request_method here",
      "opentelemetry-trust-incoming-span": "false",
      "otlp-collector-host": "collector.example",
      "otlp-collector-port": "4318",
      "otel-service-name": "edge",
      "otel-sampler": "TraceIdRatioBased",
      "otel-sampler-ratio": "0.25",
      "otel-sampler-parent-based": "false",
      "otel-max-queuesize": "1000",
      "otel-max-export-batch-size": "100",
      "otel-schedule-delay-millis": "2000",
    },
    object,
    {},
  );
  expect(problems).toEqual([]);
  const files: RenderedFile[] = [];
  const machine = withSettingsFiles(machineAt("/run", 80), settings, { ...can, otel: true }, filesOf("/run", files));
  const { http } = settingsView(settings, { ...can, otel: true }, machine);
  expect(String(http.opentelemetry.config)).toContain(files[0]!.path);
  expect(String(http.opentelemetry.operation)).toBe('"${request_method} here"');
  expect(files[0]!.content).toBe(`exporter = "otlp"
processor = "batch"

[exporters.otlp]
host = "collector.example"
port = 4318

[processors.batch]
max_queue_size = 1000
schedule_delay_millis = 2000
max_export_batch_size = 100

[service]
name = "edge"

[sampler]
name = "TraceIdRatioBased"
ratio = 0.25
parent_based = false
`);
  const own = readSettings({ "opentelemetry-config": "/etc/own.toml" }, object, {}).settings;
  expect(String(settingsView(own, { ...can, otel: true }, machine).http.opentelemetry.config)).toContain(
    "/etc/own.toml",
  );
});

test("enable-owasp-modsecurity-crs and modsecurity-snippet add lines about rules", () => {
  const inspecting = { ...can, modsecurity: true };
  const read = (data: Record<string, string>) => readSettings({ "enable-modsecurity": "true", ...data }, object, {});
  const conf = (data: Record<string, string>) =>
    settingsConf(read(data).settings, inspecting, { run: "/run", port: 80, modules: [] });
  expect(conf({})).toMatch(/modsecurity_rules_file "?\/run\/modsecurity.conf"?;/);
  expect(conf({ "enable-owasp-modsecurity-crs": "true" })).toMatch(/modsecurity_rules_file "?\/run\/owasp.conf"?;/);
  const own = conf({ "modsecurity-snippet": "SecRuleEngine On" });
  expect(own).toMatch(/modsecurity_rules ["']SecRuleEngine On/);
  expect(own).not.toContain("modsecurity.conf");
  expect(inEveryLocation(read({}).settings, inspecting, machineAt("/run", 80), false).inspected).toBe(true);
});

test("disable-ipv6-dns looks up no IPv6 addresses, and queries no IPv6 name server", () => {
  const conf = (data: Record<string, string>) =>
    settingsConf(readSettings(data, object, {}).settings, can, { run: "/run", port: 80, modules: [] });
  expect(conf({ "disable-ipv6-dns": "false" })).toContain("resolver 127.0.0.1 [::1] valid=30s;");
  expect(conf({ "disable-ipv6-dns": "true" })).toContain("resolver 127.0.0.1 valid=30s ipv6=off;");
});

test("enable-brotli compresses at brotli-level what brotli-types and brotli-min-length select", () => {
  const { settings } = readSettings(
    { "enable-brotli": "true", "brotli-level": "7", "brotli-min-length": "99", "brotli-types": "text/x-own" },
    object,
    {},
  );
  const lines = settingsConf(settings, { ...can, brotli: true }, { run: "/run", port: 80, modules: [] });
  for (const line of ["brotli on;", "brotli_comp_level 7;", "brotli_min_length 99;", 'brotli_types "text/x-own";'])
    expect(lines).toContain(line);
});
