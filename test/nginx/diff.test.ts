/**
 * `sluice diff` shows the cost of a change before it is live; then `sluice serve` gets the change,
 * and nginx does the same.
 */

import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ServedRoute } from "../../src/ask/routes/routes.ts";
import { askController } from "../../src/ask/routes/socket.ts";
import { type Difference, diff } from "../../src/cli/diff.ts";
import { pathsOf } from "../../src/nginx/folder/paths.ts";
import { type LogLine, serving, toWeb, webAt } from "./support/serve.ts";
import { answerMeant, edits, filesOf, routesMeant, type SmallShop, serviceNames } from "./support/small-shop.ts";
import { until } from "./support/until.ts";

const files = {
  "web.yaml": toWeb({ host: "one.example" }),
  "backends.yaml": webAt(21_903),
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
/**
 * The change that removes a location setting comes last: a running controller keeps the setting a
 * while, in case it returns.
 */
const knownEdits: readonly Edit[] = [
  ["a setting", "settings.yaml", "data: {}", 'data: { keep-alive: "60" }', "reload"],
  ["another host", "web.yaml", "one.example", "two.example", "data"],
  ["one endpoint more", "backends.yaml", "[127.0.0.1]", "[127.0.0.1, 127.0.0.2]", "data"],
  ["a comment", "backends.yaml", "spec:", "# nothing\nspec:", "none"],
  [
    "an annotation",
    "web.yaml",
    "annotations: {}",
    'annotations: { nginx.ingress.kubernetes.io/proxy-read-timeout: "7" }',
    "reload",
  ],
];

test("diff predicts the cost of each change", async () => {
  const served = await serving({ files });
  const present: Record<string, string> = { ...files };
  const next = mkdtempSync(join(tmpdir(), "sluice-next-"));
  try {
    for (const [what, file, from, to, cost] of knownEdits) {
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
    expect(syncs(served.lines())).toHaveLength(knownEdits.length);
  } finally {
    await served.remove();
    rmSync(next, { recursive: true });
  }
});

/** The sequence is the same in every run. */
const seed = 20261121;
const portOf = (service: string) => 21_911 + serviceNames.indexOf(service as (typeof serviceNames)[number]);

test("diff predicts the routes that a random change affects, and whether nginx is reloaded", async () => {
  const backends = await Promise.all(
    serviceNames.flatMap((name) => ["127.0.0.1", "127.0.0.2"].map((at) => echo(name, at))),
  );
  let shop: SmallShop = {
    ingresses: { "always.example": { paths: { "/": "red" }, timeout: 0 } },
    endpoints: { red: 1, green: 2, blue: 0 },
    keepAlive: 75,
  };
  const served = await serving({ files: filesOf(shop, portOf) });
  const next = mkdtempSync(join(tmpdir(), "sluice-next-"));
  try {
    const [sequence = []] = fc.sample(fc.array(edits, { minLength: 16, maxLength: 16 }), { seed, numRuns: 1 });
    for (const [step, edit] of sequence.entries()) {
      const after = edit(shop, step);
      const text = filesOf(after, portOf)["all.yaml"]!;
      writeFileSync(join(next, "all.yaml"), text);
      const predicted = await predictedBy(served.folder, next);
      const changed = predicted.changes
        .filter(({ what }) => what === "path")
        .map(({ name }) => name.replace(/ \(.*$/, ""));
      expect([step, changed.sort()]).toEqual([step, differing(routesMeant(shop), routesMeant(after))]);

      const before = syncs(served.lines()).length;
      served.write("all.yaml", text);
      if (text !== filesOf(shop, portOf)["all.yaml"] && predicted.cost.kind !== "none") {
        const done = await until(`a sync for step ${step}`, () => syncs(served.lines())[before]);
        expect([step, done.why]).toEqual([
          step,
          predicted.cost.kind === "reload" ? predicted.cost.why.join(", ") : undefined,
        ]);
      }
      shop = after;
      for (const host of ["always.example", "one.example", "two.example", "three.example"]) {
        for (const path of ["/", "/a", "/a/b", "/c"]) {
          const { status, body } = await served.ask(host, path);
          expect([step, host, path, status === 200 ? body : String(status)]).toEqual([
            step,
            host,
            path,
            answerMeant(shop, host, path),
          ]);
        }
      }
      const routes = await askController<readonly ServedRoute[]>(pathsOf(served.runFolder), "/routes");
      if (!routes.ok) throw new Error(routes.why);
      const named = routes.answer.filter(({ host }) => host !== "*").map(({ host, path }) => `${host}${path}`);
      expect([step, named]).toEqual([step, [...routesMeant(shop).keys()].sort()]);
    }
  } finally {
    await served.remove();
    rmSync(next, { recursive: true });
    for (const backend of backends) backend.close();
  }
});

/** Returns routes that only one of them has, or that lead elsewhere. */
function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

async function echo(name: string, address: string): Promise<Server> {
  const server = createServer((_, response) => void response.end(name));
  server.listen(portOf(name), address);
  await once(server, "listening");
  return server;
}

/** Returns the log lines of syncs; the first is that of the start. */
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
