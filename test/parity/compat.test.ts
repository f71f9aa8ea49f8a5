/**
 * Runs `sluice compat` on the recorded cases. If Sluice answers differently, the report must
 * name the heading of that decision; if the answers are equal, it must report no work.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compat } from "../../src/cli/compat.ts";
import type { Assessment } from "../../src/move/compat/assess.ts";
import { ran } from "../golden/support/ran.ts";
import { caseNames, loadCase } from "./case.ts";
import { decidedDifferences, differencesPage } from "./decided.ts";

const decided = decidedDifferences(differencesPage());

test.each([...decided])("compat predicts the difference of %s", async (name, heading) => {
  const { items, everybody } = await reportOn(name);
  const reported = [...items.flatMap(({ notes }) => notes), ...everybody];
  expect(reported.filter((one) => one.startsWith(heading.replaceAll("`", "")))).not.toEqual([]);
});

test("compat finds no work in cases with equal answers", async () => {
  const work: string[] = [];
  for (const name of caseNames().filter((one) => !decided.has(one))) {
    const { items } = await reportOn(name);
    work.push(...items.filter(({ verdict }) => verdict === "work").map((item) => `${name}: ${item.what} ${item.name}`));
  }
  expect(work).toEqual([]);
});

async function reportOn(name: string): Promise<Assessment> {
  const { objects, configMap, flags, requests } = loadCase(name);
  const data = Object.assign({}, configMap, ...requests.map((step) => step.configMap));
  const settings = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "ingress-nginx", name: "settings" },
    data,
  };
  const folder = mkdtempSync(join(tmpdir(), "sluice-compat-"));
  try {
    const list = { apiVersion: "v1", kind: "List", items: [...objects, settings, controllerWith(flags)] };
    writeFileSync(join(folder, "dump.json"), JSON.stringify(list));
    const { text, failure } = await ran(compat, join(folder, "dump.json"), "-o", "json");
    if (failure !== "") throw new Error(failure);
    return JSON.parse(text) as Assessment;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const controllerWith = (flags: readonly string[]) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "ingress-nginx", name: "controller" },
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: "controller",
            image: "registry.example/ingress-nginx/controller:v1.15.1",
            args: [
              "/nginx-ingress-controller",
              "--configmap=$(POD_NAMESPACE)/settings",
              "--watch-ingress-without-class=true",
              ...flags,
            ],
          },
        ],
      },
    },
  },
});
