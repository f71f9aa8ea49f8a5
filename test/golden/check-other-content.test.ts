/** What `sluice check` says of files that are no Kubernetes objects. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { check } from "../../src/cli/check.ts";
import { ran } from "./support/ran.ts";

async function checked(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-check-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return ran(check, folder);
}

const chart = {
  "Chart.yaml": "apiVersion: v2\nname: edge\nversion: 1.0.0\n",
  "values.yaml": "spec: { source: edge }\n",
};
const namespace = { "namespace.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: { name: edge }\n" };

test("the parts of a chart beside objects are no mistakes", async () => {
  const { code, failure } = await checked({ ...namespace, ...chart, "edge.tfvars.json": "{}\n" });
  expect([code, failure]).toEqual([
    0,
    "sluice check: 3 files are not Kubernetes objects, and left out: Chart.yaml, edge.tfvars.json, values.yaml",
  ]);
  const without = await checked({ ...namespace, "values.yaml": chart["values.yaml"] });
  expect([without.code, without.text]).toEqual([1, expect.stringContaining("kind is missing")]);
});

test("a folder without objects says what its files are", async () => {
  const { code, text } = await checked({
    "Chart.yaml": chart["Chart.yaml"],
    "values.yaml": "ingress-nginx: { controller: { kind: DaemonSet } }\n",
    "helmfile.yaml": "releases: [{ name: edge, chart: ingress-nginx/ingress-nginx }]\n",
    "site.yaml": "- hosts: all\n  tasks: []\n",
    "fleet.yaml": "helm: { chart: ingress-nginx }\n",
    "list.yaml": "- hosts: all\n",
  });
  expect([code, text]).toEqual([1, expect.stringContaining("6 errors and no warnings in 6 files")]);
  expect(text.match(/(?<=error: ).*(?=; it is ignored)/g)).toEqual([
    "this describes a Helm chart and is not a Kubernetes object; helm template renders the chart",
    "this is for Rancher's Fleet and not a Kubernetes object",
    "this is a helmfile and not a Kubernetes object; helmfile template renders its releases",
    "it is not a Kubernetes object",
    "this is a playbook of Ansible, which is not read: give the files that it applies, or look at the cluster that it writes",
    "it has values of ingress-nginx's chart and no Kubernetes object, and sluice compat judges them",
  ]);
});
