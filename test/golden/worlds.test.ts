/**
 * The decisions of the matcher in golden worlds (test/support/golden-worlds.ts): host, path and
 * conditions, and the location with its answers. test/nginx/golden-worlds.test.ts has the answers
 * of nginx. `npm test golden -- --update` rewrites the files.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { decided } from "../support/decided.ts";
import { goldenNames, goldenWorld, questionOf, translationsOf, worldsFolder } from "../support/golden-worlds.ts";
import { fake } from "../support/sketch.ts";
import { worldDecideOptions } from "../support/world-options.ts";

const base = 18_840;

test.each(goldenNames)("the decisions of %s are those of the golden file", async (name) => {
  const world = goldenWorld(name);
  const translations = translationsOf(world, base, fake);
  const lines = world.steps.flatMap(({ then, requests }, at) => [
    ...(then === "" ? [] : [`Then ${then}:`]),
    ...requests.flatMap((request) => [
      request,
      `  ${decided(translations[at]!.configuration, questionOf(request), worldDecideOptions(base)).words}`,
    ]),
  ]);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(join(worldsFolder, name, "decisions.txt"));
});
