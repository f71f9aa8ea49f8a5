/**
 * Records what ingress-nginx's own chart makes of every case of the chart tests:
 * `node scripts/chart/record-ingress-nginx.ts FOLDER`, where FOLDER is charts/ingress-nginx of its
 * repository at helm-chart-4.15.1. The record shows which objects an upgrade in place finds. A new
 * case has to be recorded, too. Hooks are left out, because helm deletes them when they have run.
 * Values that ingress-nginx's chart cannot render are left out as well.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "../../test/chart/support/helm.ts";
import { identityOf } from "../../test/chart/support/identity.ts";
import { toolPath } from "../kubernetes-tools.ts";

const tests = join(import.meta.dirname, "../../test/chart");
const [folder = ""] = process.argv.slice(2);
const record: Record<string, readonly string[]> = {};
for (const file of readdirSync(join(tests, "cases"))) {
  const name = ["ingress-nginx", folder, "--namespace", "ingress-nginx", "--no-hooks"];
  const words = ["template", ...name, "--values", join(tests, "cases", file)];
  const { stdout, failed } = await execa(toolPath("helm"), words, { reject: false });
  if (failed) continue;
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest | null);
  record[file.replace(/\.yaml$/, "")] = objects
    .filter((object) => object !== null)
    .map(identityOf)
    .toSorted();
}
writeFileSync(join(tests, "ingress-nginx-objects.json"), `${JSON.stringify(record, null, 2)}\n`);
