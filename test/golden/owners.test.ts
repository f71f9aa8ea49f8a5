/**
 * Tests the owners of lines of nginx.conf: the objects that are suspected first when nginx refuses
 * the line.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { openPaper, type Paper } from "../hostile/support/on-paper.ts";

const host = (name: string, annotations: Readonly<Record<string, string>>, at = `${name}.example`) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: {
    namespace: "shop",
    name,
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, text]) => [`nginx.ingress.kubernetes.io/${key}`, text]),
    ),
  },
  spec: {
    ingressClassName: "nginx",
    rules: [
      {
        host: at,
        http: {
          paths: [
            { path: `/${name}`, pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } },
          ],
        },
      },
    ],
  },
});

const objects: readonly KubernetesObject[] = [
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "nginx" },
    spec: { controller: "k8s.io/ingress-nginx" },
  } as KubernetesObject,
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "ingress", name: "settings" },
    data: { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" },
  } as KubernetesObject,
  host("alone", { "configuration-snippet": "set $of_alone 1;" }),
  host("one", { "configuration-snippet": "set $of_both 1;" }),
  host("two", { "configuration-snippet": "set $of_both 1;" }),
  host("text", { "server-snippet": "set $of_server 1;" }),
  host("inside", { "configuration-snippet": "location /inner { set $of_inside 1; }" }, "text.example"),
];

let paper: Paper;
beforeAll(async () => {
  paper = await openPaper(["--configmap=ingress/settings"]);
});
afterAll(() => paper.close());

const cases = [
  ["$of_alone", ["Ingress shop/alone"]],
  ["$of_server", ["Ingress shop/inside", "Ingress shop/text"]],
  ["$of_inside", ["Ingress shop/inside"]],
  ["pcre_jit", []],
] as const;

test.each(["dynamic", "static"] as const)("each line of %s mode has the owners of its innermost block", (mode) => {
  const { conf, ownersAt } = paper.render(objects, mode);
  const lines = conf.split("\n");
  const linesWith = (words: string) => lines.flatMap((line, at) => (line.includes(words) ? [at + 1] : []));
  for (const [words, owners] of cases) {
    const found = linesWith(words).map((line) => [...ownersAt(line)].sort());
    expect(found.length, words).toBeGreaterThan(0);
    for (const one of found) expect(one, words).toEqual(owners);
  }
  const both = linesWith("$of_both").map((line) => [...ownersAt(line)].sort().join());
  const shared = ["Ingress shop/one,Ingress shop/two"];
  expect([...new Set(both)]).toEqual(mode === "dynamic" ? shared : ["Ingress shop/one", "Ingress shop/two"]);
});
