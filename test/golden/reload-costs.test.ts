/**
 * Finds out which annotations cost a reload: when turned on, with another value, and when turned
 * off. The table is a part of docs/performance.md.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { features } from "../../src/core/policies/registry.ts";
import { pkiIn } from "../support/pki.ts";
import { configMap, ingress, ingressClass, service, slice } from "../support/sketch.ts";
import { type AnnotationChange, annotationChanges } from "./support/annotation-changes.ts";
import { Studio } from "./support/studio.ts";

let studio: Studio;
let around: readonly KubernetesObject[];

const secret = (name: string, data: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: "ns", name },
  ...{ data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, btoa(text)])) },
});

beforeAll(async () => {
  studio = await Studio.open();
  const { ca, otherca, client } = await pkiIn(mkdtempSync(join(tmpdir(), "reload-costs-")));
  const pair = { "tls.crt": client.certificate, "tls.key": client.key };
  around = [
    ingressClass,
    configMap("ingress-nginx/settings", {
      "allow-snippet-annotations": "true",
      "annotations-risk-level": "Critical",
      "global-allowed-response-headers": "X-A,X-B",
    }),
    ...["headers", "more-headers", "params", "more-params"].map((name, at) =>
      configMap(`ns/${name}`, { [name.endsWith("headers") ? "X-A" : "A"]: String(at) }),
    ),
    secret("users", { auth: "a:{PLAIN}b\n" }),
    secret("others", { auth: "c:{PLAIN}d\n" }),
    secret("authority", { "ca.crt": ca.certificate, ...pair }),
    secret("other-authority", { "ca.crt": otherca.certificate, ...pair }),
    service("web"),
    slice("web", "192.0.2.1"),
    service("other"),
    slice("other", "192.0.2.2"),
    ingress({ name: "neighbour", host: "neighbour.example" }),
  ];
});
afterAll(() => studio.close());

const keys = Object.values(features).flatMap(({ fields }) => Object.values(fields).map(({ key }) => key));

test("each annotation has two values in this test", () => {
  expect(Object.keys(annotationChanges)).toEqual(keys);
});

interface Cost {
  readonly on: boolean;
  readonly change: boolean;
  readonly off: boolean;
}

/**
 * Returns for each step whether it is a reload, for a controller that gets one version after the
 * other.
 */
function costOf(key: string, { from, to, beside = {} }: AnnotationChange): Cost {
  const renderer = studio.renderer();
  const isCanary = key.startsWith("canary");
  const main = { name: "main", host: "web.example", paths: [["/a", "web"]] } as const;
  const versions = [{}, { [key]: from }, { [key]: to }, {}];
  const clusters = versions.map((own) => {
    const annotations = { ...beside, ...own };
    const changed = isCanary
      ? [ingress(main), ingress({ name: "canary", host: "web.example", paths: [["/a", "other"]], annotations })]
      : [ingress({ ...main, annotations })];
    return [...around, ...changed];
  });
  const generations = studio.translatedInTurn(clusters).map(({ configuration, problems }, at) => {
    const own = versions[at]!;
    const ofKey = [...problems.values()].flat().filter((problem) => "key" in problem && problem.key === key);
    if (key in own)
      expect(ofKey.filter(({ kind }) => kind !== "annotation-useless" && kind !== "annotation-doubtful")).toEqual([]);
    return renderer.render(configuration).text.generation;
  });
  const [on, change, off] = generations.slice(1).map((generation, at) => generation !== generations[at]);
  return { on: on!, change: change!, off: off! };
}

/** The most changed values that may cost a reload. This number must never rise. */
const most = 33;

test("the table of docs/performance.md has the cost of each annotation", async () => {
  const costs = keys.map((key) => [key, costOf(key, annotationChanges[key]!)] as const);
  const word = (isReload: boolean) => (isReload ? "reload" : "live");
  const rows = costs.map(
    ([key, { on, change, off }]) => `| \`${key}\` | ${word(on)} | ${word(change)} | ${word(off)} |`,
  );
  const reloads = costs.filter(([, { change }]) => change);
  const table = `| annotation | turned on | another value | turned off |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  const count = `${keys.length - reloads.length} of ${keys.length} annotations take another value without a reload.\n`;
  await expect(`${count}\n${table}`).toMatchFileSnapshot(join(import.meta.dirname, "../bench/reload-costs.md"));
  expect(reloads.length).toBeLessThanOrEqual(most);
});
