/**
 * The effect of each feature on nginx: the lines of nginx.conf in both modes, and of the records,
 * that differ from those of the same Ingress without the feature. Reviewers read the effect of a
 * change here, feature by feature.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { diff } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { named, sentence } from "../../../src/core/model/problem.ts";
import type { AnyFeature } from "../../../src/core/policies/declare.ts";
import { features } from "../../../src/core/policies/registry.ts";
import { ingress } from "../../support/ingress.ts";
import { Studio } from "../support/studio.ts";
import { cases, type FeatureCase } from "./cases.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio.close());

const shopIngress = (name: string, annotations: Readonly<Record<string, string>>, service: string) =>
  ingress({
    ...{ name, namespace: "shop", host: "shop.example", annotations, metadata: { uid: name } },
    paths: [["/", service]],
  });

function service(name: string, address: string): readonly KubernetesObject[] {
  const metadata = { namespace: "shop", name };
  const labels = { "kubernetes.io/service-name": name };
  const ports = [{ name: "", port: 80, protocol: "TCP" }];
  const spec = { clusterIP: `198.51.100.${address}`, ports: [{ port: 80 }] };
  const endpoints = [{ addresses: [`192.0.2.${address}`] }];
  return [
    { apiVersion: "v1", kind: "Service", metadata, spec },
    { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: { ...metadata, labels }, ports, endpoints },
  ] as unknown as readonly KubernetesObject[];
}

function clusterOf({ annotations, settings = {}, others = [], beside = {}, isSecond }: FeatureCase, has: boolean) {
  const main = shopIngress("web", { ...beside, ...(has && isSecond !== true ? annotations : {}) }, "web");
  const second = has && isSecond === true ? [shopIngress("second", { ...beside, ...annotations }, "next")] : [];
  const pem = readFileSync(new URL("authority.pem", import.meta.url)).toString("base64");
  const objects = JSON.parse(JSON.stringify(others).replaceAll('"pem"', JSON.stringify(pem))) as KubernetesObject[];
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "ingress-nginx", name: "settings" } };
  const class_ = { apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name: "nginx" } };
  return studio.translated(
    [
      { ...class_, spec: { controller: "k8s.io/ingress-nginx" } } as KubernetesObject,
      { ...configMap, data: settings } as KubernetesObject,
      ...service("web", "7"),
      ...service("next", "8"),
      ...objects,
      main,
      ...second,
    ],
    { enableSslPassthrough: true },
  );
}

/**
 * Removes the hashes of texts and files, and sorts locations whose names are hashes by their
 * content.
 */
function nameless(text: string): string {
  const plain = text.replace(/[0-9a-f]{12,}/g, "HASH").replace(/_[0-9a-f]{10,}\b/g, "_HASH");
  const named = /^( *)location @HASH \{\n[\s\S]*?^\1\}\n/gm;
  const sorted = [...plain.matchAll(named)].map(([block]) => block).sort();
  return plain.replace(named, () => sorted.shift()!);
}

function difference(before: string, after: string): string {
  const changes = diff(nameless(before).split("\n"), nameless(after).split("\n"));
  return changes.flatMap(([kind, line]) => (kind === 0 ? [] : [`${kind < 0 ? "+" : "-"} ${line.trim()}\n`])).join("");
}

test.each(Object.entries(cases))("the text of nginx for %s is that of the golden file", async (name, one) => {
  const [plain, own] = [clusterOf(one, false), clusterOf(one, true)];
  const [before, after] = [studio.dynamic(plain), studio.dynamic(own)];
  const texts = [studio.static(plain), studio.static(own)] as const;
  const problems = [...own.problems.values()]
    .flat()
    .map((problem) => `${named(problem.object)}: ${sentence(problem)}\n`);
  const sections = {
    annotations: Object.entries(one.annotations)
      .map(([key, text]) => `${key}: ${text}\n`)
      .join(""),
    problems: problems.sort().join(""),
    "nginx.conf, dynamic": difference(studio.neutral(before.text), studio.neutral(after.text)),
    records: difference(before.records, after.records),
    "nginx.conf, static": difference(studio.neutral(texts[0]), studio.neutral(texts[1])),
  };
  const shown = Object.entries(sections).flatMap(([title, text]) => (text === "" ? [] : [`# ${title}\n${text}`]));
  const feature = features[name as keyof typeof features] as AnyFeature;
  const file = fileURLToPath(new URL(`${feature.name}.txt`, import.meta.url));
  await expect(shown.join("\n")).toMatchFileSnapshot(file);
  expect(await studio.refusal(after.text)).toBe("");
  expect(await studio.refusal(texts[1])).toBe("");
});
