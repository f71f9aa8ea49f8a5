/**
 * Checks the files of docs/ for Prometheus and Grafana with Prometheus's own tool; no cluster is
 * needed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { promtoolPath } from "../../scripts/promtool.ts";
import { dashboardQueries } from "../support/dashboard.ts";

const root = join(import.meta.dirname, "../..");
const rules = join(root, "docs/alerts/sluice.yaml");

async function promtool(...args: readonly string[]): Promise<string> {
  const { exitCode, all } = await execa(promtoolPath(), args, { all: true, reject: false });
  return `${exitCode} ${all}`;
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
}

test("the alert rules are valid, and each alert has a test that raises it and a section of the runbook", async () => {
  expect(await promtool("check", "rules", rules)).toMatch(/^0 .*SUCCESS/s);
  const tests = readFileSync(join(root, "test/e2e/alerts/sluice.yaml"), "utf8");
  const { groups } = parse(readFileSync(rules, "utf8")) as Rules;
  const alerts = groups.flatMap((group) => group.rules.map(({ alert }) => alert));
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((name) => !tests.includes(`"${name}"`) && !tests.includes(`alertname: ${name}`))).toEqual([]);
  const runbook = readFileSync(join(root, "docs/operate.md"), "utf8");
  expect(alerts.filter((name) => !runbook.includes(`\n## ${name}\n`))).toEqual([]);
});

test("alerts are raised for their cause alone", async () => {
  expect(await promtool("test", "rules", join(root, "test/e2e/alerts/sluice.yaml"))).toMatch(/^0 .*SUCCESS/s);
});

test("every query of the dashboard is valid", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-promtool-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const recorded = dashboardQueries().map((expr, at) => ({ record: `query:${at}`, expr }));
  expect(recorded.length).toBeGreaterThan(30);
  const file = join(folder, "queries.yaml");
  writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules: recorded }] }));
  expect(await promtool("check", "rules", file)).toMatch(/^0 .*SUCCESS/s);
});
