/**
 * Checks that every valid value of every ConfigMap key gives a configuration that nginx accepts,
 * and that hostile text stays data in it.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { parse, type Statement } from "../../src/core/kinds/grammar.ts";
import type { Setting } from "../../src/core/settings/declare.ts";
import { readSettings } from "../../src/core/settings/read.ts";
import { settingList } from "../../src/core/settings/registry.ts";
import { drawn } from "../support/drawn.ts";
import { settingSamples } from "../support/samples.ts";
import { installedNginx } from "./support/installed.ts";
import { settingsConf } from "./support/settings-conf.ts";

const object = { kind: "ConfigMap", namespace: "edge", name: "settings" };
const run = mkdtempSync(join(tmpdir(), "sluice-settings-"));
afterAll(() => rmSync(run, { recursive: true, force: true }));
// Modules that the image has and this machine may lack.
for (const rules of ["modsecurity.conf", "owasp.conf"])
  writeFileSync(join(run, rules), "SecRuleEngine DetectionOnly\n");

const can = await installedNginx();
const declared = settingList.map(([, setting]) => setting);
const acting = declared.filter(({ noEffect }) => noEffect === undefined);

/** Replaces the files and hosts of a real machine in the samples by those of the test. */
const here = (text: string) => {
  if (/^\/(dev|var|etc)\//.test(text)) return join(run, "some.log");
  return text === "collector.tracing.svc" ? "localhost" : text;
};

function confOf(data: Readonly<Record<string, string>>): string {
  const { settings } = readSettings(data, object, {});
  return settingsConf(settings, can, { run, port: 8099, modules: can.modules });
}

/** Returns nginx's message about `conf`; empty if nginx accepts it. */
function refusal(conf: string): string {
  const file = join(run, "nginx.conf");
  writeFileSync(file, conf);
  const tested = spawnSync(can.binary, ["-t", "-q", "-p", run, "-c", file, "-e", join(run, "start.log")], {
    encoding: "utf8",
  });
  return tested.status === 0 ? "" : tested.stderr || `ended with ${tested.status ?? tested.signal}`;
}

/** Turns on the keys on which a key depends. */
const company = ({ onlyWith = [] }: Setting<unknown>) =>
  Object.fromEntries(onlyWith.slice(0, 1).map((key) => [key, key.startsWith("upstream-") ? "8" : "true"]));

test("nginx accepts the defaults", () => {
  expect(refusal(confOf({}))).toBe("");
});

test("nginx has no warning about trusted proxies, which may be every address", () => {
  const file = join(run, "warned.conf");
  const trusting = {
    "use-proxy-protocol": "true",
    "use-forwarded-headers": "true",
    "proxy-real-ip-cidr": "0.0.0.0/0,::/0",
  };
  writeFileSync(file, confOf(trusting));
  const tested = spawnSync(can.binary, ["-t", "-p", run, "-c", file, "-e", join(run, "start.log")], {
    encoding: "utf8",
  });
  expect([tested.status, tested.stderr]).toEqual([0, expect.not.stringContaining("duplicate network")]);
});

test.each(acting.map((one) => [one.key, one] as const))("nginx accepts every sample of %s", (key, one) => {
  for (const sample of settingSamples(one).good) {
    const data = { ...company(one), [key]: here(sample) };
    expect(readSettings(data, object, {}).problems.filter(({ kind }) => kind === "setting-unknown")).toEqual([]);
    expect(refusal(confOf(data)), `${key}: ${JSON.stringify(sample)}`).toBe("");
  }
});

test("nginx accepts samples of many keys together", () => {
  const some = fc.record(
    Object.fromEntries(acting.map((one) => [one.key, fc.constantFrom(...settingSamples(one).good).map(here)])),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(some, (data) => {
      expect(refusal(confOf(data as Record<string, string>))).toBe("");
    }),
    drawn(60),
  );
});

const hostile = [
  '"; } # \\',
  "x; return 200",
  "$host; }",
  "'; {",
  "x} http {",
  "\\",
  '~"; }',
  "~*a; }",
  "${",
  "a b; c",
];
const names = (statements: readonly Statement[]): string[] =>
  statements.flatMap(({ name, block = [] }) => [name, ...(["map", "geo"].includes(name) ? [] : names(block))]);
const statementsOf = (conf: string) => {
  const parsed = parse(conf);
  if (!parsed.ok) throw new Error(parsed.why);
  return names(parsed.statements);
};

test.each(acting.filter(({ key }) => !key.endsWith("-snippet")).map((one) => [one.key, one] as const))(
  "hostile text in %s adds no directive",
  (key, one) => {
    const benign = new Set(
      settingSamples(one).good.flatMap((sample) => statementsOf(confOf({ ...company(one), [key]: here(sample) }))),
    );
    for (const text of hostile) {
      const conf = confOf({ ...company(one), [key]: text });
      expect(statementsOf(conf).filter((name) => !benign.has(name))).toEqual([]);
    }
  },
);
