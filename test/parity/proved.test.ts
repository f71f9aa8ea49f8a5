/**
 * Runs `sluice convert` on all recorded clusters. It counts the clusters whose routes are proved to
 * act like their Ingresses, and the reasons why the others differ. docs/move.md has the numbers. No
 * nginx runs here; test/parity/converted.test.ts serves the routes.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type KubernetesObject, keyOf } from "../../src/core/model/objects.ts";
import { emptySnapshot, type Snapshot, tableOf, type WatchedKind, withObjects } from "../../src/core/model/snapshot.ts";
import { converted } from "../../src/move/convert/converted.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { type Case, caseNames, loadCase } from "./case.ts";
import { answeredOtherwise, unprovable } from "./converted-differences.ts";
import { gateway } from "./converted-subject.ts";
import { FakeApiServer } from "./fake-api-server.ts";
import { clusterObjects, controllerConfigMap, namespace, standardObjects } from "./standard-objects.ts";
import { flagsOf } from "./subject.ts";

test("routes are proved to act as Ingresses, except for the listed differences", { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "proved-"));
  try {
    const pki = await pkiIn(folder);
    const found = new Map<string, string>();
    let stay = 0;
    for (const name of caseNames()) {
      const wanted = loadCase(name);
      const options = { gateway, gatewayClass: "converted" };
      const flags = flagsOf("dynamic", ["--watch-ingress-without-class=true", ...wanted.flags]);
      const { proof, conversion } = converted(clusterOf(wanted, pki), { flags, as: "run" }, options);
      if (conversion.kept.size > 0) stay += 1;
      // Most recorded hosts have no certificates, so the differences about certificates are not
      // counted.
      const kinds = proof.differences.map(({ kind }) => kind).filter((kind) => kind !== "fake-certificate");
      if (kinds.length > 0) found.set(name, [...new Set(kinds)].sort().join(", "));
    }
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(unprovable).map(([name, [kinds]]) => [name, kinds])),
    );
    const all = caseNames().length;
    const equal = all - found.size;
    const page = readFileSync(new URL("../../docs/move.md", import.meta.url), "utf8").replace(/\s+/g, " ");
    const otherwise = Object.keys(answeredOtherwise).length;
    const reasons = Map.groupBy(Object.values(unprovable), ([, why]) => why);
    const sentences = [
      `In ${all - otherwise} clusters every answer equals the recorded one. In the other ${otherwise}, single requests`,
      `Of ${all} recorded clusters, ${equal} are proved equal, and in ${stay} of these an Ingress stays`,
      ...Array.from(reasons, ([why, some]) => `| ${some.length} | ${why} |`),
    ];
    expect(sentences.filter((sentence) => !page.includes(sentence))).toEqual([]);
    expect(equal / all).toBeGreaterThan(0.95);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Returns the objects of the API server before the first request of a case. */
function clusterOf({ namespace: home, objects, configMap, pause }: Case, pki: Pki): Snapshot {
  const api = new FakeApiServer(new Date("2026-01-01T00:00:00Z"));
  const all: readonly KubernetesObject[] = [
    ...clusterObjects(pki),
    controllerConfigMap(configMap),
    namespace(home),
    ...standardObjects(home, pki),
    ...objects,
  ];
  const stored = all.map((object) => {
    const one = api.apply(object);
    if (object.kind === "Ingress") api.passTime(pause);
    return one;
  });
  const changes = stored.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object }));
  return withObjects(
    emptySnapshot,
    changes.filter(({ kind }) => kind in tableOf),
  );
}
