/**
 * Tries attacks that were found for one field on all fields: each annotation and each key of the
 * ConfigMap, at the same time.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fields } from "../../../src/core/policies/declare.ts";
import { featureList } from "../../../src/core/policies/registry.ts";
import { settings as declarations } from "../../../src/core/settings/registry.ts";
import { annotationSamples, settingSamples } from "../../support/samples.ts";
import { intruders } from "../support/corpus.ts";
import { ingress, settings } from "../support/objects.ts";
import { startWorld, type World } from "../support/world.ts";

const fields = featureList.flatMap(([, feature]) => Object.values(feature.fields as Fields));
const keys = fields.flatMap((field) =>
  [field.key, ...(field.aliases ?? [])].map((one) => [one, annotationSamples(field)] as const),
);
const separators = ["\r", "\r\n", "\n", "\u0085", "\u2028", "\0", "\t"];

/** Names are `x` and a number, so that the test finds its own text. */
const everyAnnotation = (texts: (good: string) => readonly string[]) =>
  keys.flatMap(([key, { good }]) =>
    texts(good[0] ?? "").map((text, at) => ingress({ name: `${key}-${at}`, annotations: { [key]: text } })),
  );

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode });
  });
  afterAll(() => world.stop());

  const harmless = async () => {
    expect(intruders(world.tree())).toEqual([]);
    expect(await world.ask("neighbour.example")).toMatchObject({ status: 200, body: "secret" });
    await world.clear();
  };

  test("CVE-2021-25746: no annotation lets its value end a directive and begin a block", async () => {
    await world.apply(...everyAnnotation((good) => [`${good}; } server {`, `${good}"; } pwned { }`]));
    await harmless();
  });

  test("CVE-2024-7646: no annotation lets a character that some parser reads as a line break end its line", async () => {
    await world.apply(...everyAnnotation((good) => separators.map((one) => `${good}${one}pwned;`)));
    await harmless();
  });

  test("CVE-2024-7646: no key of the ConfigMap lets a line break end its line, and each gets a sentence", async () => {
    // Keys that close paths if they are unreadable are left out, because they would close the
    // neighbour's, too.
    const open = Object.values(declarations).filter((one) => !("closed" in one));
    const names = open.filter(({ kind }) => !/directives|rules|format/.test(kind.label));
    await world.apply(
      settings(Object.fromEntries(names.map((one) => [one.key, `${settingSamples(one).good[0]}\rpwned;`]))),
    );
    expect(world.problemsOf("ingress-nginx-controller").length).toBeGreaterThan(100);
    await harmless();
  });
});
