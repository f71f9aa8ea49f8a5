/** `sluice diff` says what a change costs before it is live; `sluice serve` is then given the change, and nginx does as it was said. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Difference, diff } from "../../src/cli/diff.ts";
import { type LogLine, serving } from "./support/serve.ts";
import { until } from "./support/until.ts";

const files = {
  "web.yaml": `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop, annotations: {} }
spec:
  rules:
    - host: one.example
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`,
  "backends.yaml": `apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: shop, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
endpoints: [{ addresses: [127.0.0.1] }]
ports: [{ port: 21903 }]
`,
  "settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: {}
`,
};

type Edit = readonly [
  what: string,
  file: keyof typeof files,
  from: string,
  to: string,
  cost: Difference["cost"]["kind"],
];
/** The one that takes a location setting away comes last: a running controller keeps it a while, in case it comes back. */
const edits: readonly Edit[] = [
  ["a setting", "settings.yaml", "data: {}", 'data: { keep-alive: "60" }', "reload"],
  ["another host", "web.yaml", "one.example", "two.example", "data"],
  ["one endpoint more", "backends.yaml", "[127.0.0.1]", "[127.0.0.1, 127.0.0.2]", "data"],
  ["a comment", "backends.yaml", "spec:", "# nothing\nspec:", "none"],
  ["an annotation", "web.yaml", "{}", '{ nginx.ingress.kubernetes.io/proxy-read-timeout: "7" }', "reload"],
];

test("diff predicts what a change costs", async () => {
  const served = await serving({ files });
  const present: Record<string, string> = { ...files };
  const next = mkdtempSync(join(tmpdir(), "sluice-next-"));
  try {
    for (const [what, file, from, to, cost] of edits) {
      cpSync(served.folder, next, { recursive: true });
      present[file] = present[file]!.replace(from, to);
      writeFileSync(join(next, file), present[file]);
      const predicted = await predictedBy(served.folder, next);
      expect([what, predicted.cost.kind]).toEqual([what, cost]);

      const before = syncs(served.lines()).length;
      served.write(file, present[file]);
      if (cost === "none") continue;
      const done = await until(`a sync for ${what}`, () => syncs(served.lines())[before]);
      const reloads = predicted.cost.kind === "reload" ? predicted.cost.why.join(", ") : undefined;
      expect([what, done.why]).toEqual([what, reloads]);
    }
    // The start and every edit but the comment.
    expect(syncs(served.lines())).toHaveLength(edits.length);
  } finally {
    await served.remove();
    rmSync(next, { recursive: true });
  }
}, 60_000);

/** The start is the first of them. */
const syncs = (lines: readonly LogLine[]): readonly LogLine[] => lines.filter(({ changed }) => changed !== undefined);

async function predictedBy(old: string, fresh: string): Promise<Difference> {
  let text = "";
  const out = {
    write: (more: string) => {
      text += more;
    },
    fail: (sentence: string) => {
      throw new Error(sentence);
    },
  };
  await diff([old, fresh, "-o", "json"], out);
  return JSON.parse(text);
}
