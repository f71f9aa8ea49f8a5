/**
 * An upgrade in place, from a release of ingress-nginx's own chart: every object that it made has
 * its successor, under the same name and with the same selector, whatever the values.
 * scripts/chart/record-ingress-nginx.ts has recorded the objects of ingress-nginx's chart.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { toolPath } from "../../scripts/kubernetes-tools.ts";
import { chartFolder, type Manifest, render } from "./support/helm.ts";
import { identityOf } from "./support/identity.ts";

const cases = join(import.meta.dirname, "cases");
const theirs = JSON.parse(readFileSync(join(import.meta.dirname, "ingress-nginx-objects.json"), "utf8")) as Record<
  string,
  readonly string[]
>;

test("every case is recorded, except those with values that only Sluice has or that ingress-nginx's chart cannot render", () => {
  const missing = readdirSync(cases).filter((file) => theirs[file.replace(/\.yaml$/, "")] === undefined);
  expect(missing).toEqual(["gateway-services.yaml", "gateways.yaml", "nothing-said.yaml"]);
});

test.each(Object.entries(theirs))("each object of ingress-nginx's chart exists again: %s", async (name, record) => {
  const { objects } = await render(parse(readFileSync(join(cases, `${name}.yaml`), "utf8")));
  const ours = new Set(objects.map(identityOf));
  expect(record.length).toBeGreaterThan(5);
  expect(record.filter((line) => !ours.has(line))).toEqual([]);
});

test("where helm keeps ingress-nginx's values (--reuse-values), values that only Sluice has are not required", async () => {
  const plain = await render();
  expect((await render({ sluice: null })).manifest).toBe(plain.manifest);
});

test("as a dependency with an alias the chart names objects by the alias, as ingress-nginx's chart does", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-umbrella-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "charts"));
  symlinkSync(chartFolder, join(folder, "charts/sluice"));
  const dependencies = [{ name: "sluice", alias: "edge", version: ">=0", condition: "edge.enabled" }];
  writeFileSync(
    join(folder, "Chart.yaml"),
    JSON.stringify({ apiVersion: "v2", name: "umbrella", version: "1.0.0", dependencies }),
  );
  const input = JSON.stringify({
    edge: { enabled: true, controller: { kind: "DaemonSet" } },
    global: { stage: "test" },
  });
  const { stdout } = await execa(toolPath("helm"), ["template", "shop", folder, "--values", "-"], { input });
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  expect(objects.map(identityOf)).toContain(
    'DaemonSet default shop-edge-controller {"app.kubernetes.io/component":"controller","app.kubernetes.io/instance":"shop","app.kubernetes.io/name":"edge"}',
  );
});
