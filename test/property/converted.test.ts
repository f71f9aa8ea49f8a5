/**
 * Compares random Ingresses with the routes that `sluice convert` makes of them, each on a real
 * nginx. The same random requests must get the same answers, and backends must see the same
 * requests, except for differences that the report of the conversion or docs/move.md names. A world
 * is a set of Ingresses with the settings of their controller. The suite runs a few stored worlds,
 * and `npm run convert-random` runs 50 others from a new seed on. SLUICE_SEED=7 SLUICE_WORLDS=1
 * runs one world again, and SLUICE_KEEP=1 stores it for the suite.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { yamlOf } from "../../src/move/convert/yaml.ts";
import { type BothSides, startBothSides } from "./converted/both-sides.ts";
import { differingFields } from "./converted/client.ts";
import { keep, keptWorlds } from "./converted/kept-worlds.ts";
import { knownDifferences } from "./converted/known.ts";
import { type Difference, search, shrunk, type World, worldOf } from "./converted/search.ts";
import { objectsOf } from "./converted/worlds.ts";

const { SLUICE_SEED: first = "1", SLUICE_WORLDS: count, SLUICE_KEEP: isKept } = process.env;
const worlds =
  count === undefined ? keptWorlds() : Array.from({ length: Number(count) }, (_, at) => worldOf(Number(first) + at));

// The time limit is for a busy machine; a world takes some ten seconds on an idle one.
test(`the routes of ${worlds.length} worlds of random Ingresses give the same answers`, {
  timeout: 300_000 + worlds.length * 180_000,
}, async () => {
  console.log(`seeds ${worlds.map(({ seed }) => seed).join(", ")}`);
  if (isKept === "1") worlds.forEach(keep);
  const sides = await startBothSides();
  const counts = { asked: 0, named: 0, kept: 0 };
  const reports: string[] = [];
  try {
    for (const world of worlds) {
      const { differences, asked, named, kept } = await search(world, sides);
      counts.asked += asked;
      counts.named += named;
      counts.kept += kept;
      const [found] = differences;
      const text = found && (await report(world, found, sides));
      if (text !== undefined) reports.push(text);
      // Many worlds take their time.
      if (count !== undefined) console.log(text ?? `seed ${world.seed}: ${asked} requests, ${named} are named`);
    }
  } finally {
    await sides.stop();
  }
  if (reports.length > 0) expect.fail(reports.join("\n\n"));
  console.log(`${counts.asked} requests; ${counts.named} are named, ${counts.kept} stay with their Ingresses`);
  // Otherwise the test would compare next to nothing.
  expect(counts.asked - counts.named - counts.kept).toBeGreaterThan(counts.asked / 4);
});

test("docs/move.md has the differences that the comparison leaves out", () => {
  const page = readFileSync(new URL("../../docs/move.md", import.meta.url), "utf8").replace(/\s+/g, " ");
  expect(knownDifferences.filter(({ words }) => !page.includes(words))).toEqual([]);
});

async function report(world: World, difference: Difference, sides: BothSides): Promise<string> {
  const small = await shrunk(world, difference, sides);
  const [asked] = small.requests;
  const made = await sides.serve(small.sketches, small.settings);
  const answers = await sides.ask(asked!);
  const fields = differingFields(...answers).map(
    (name) => `  ${name}: ${answers[0].get(name)} with Ingresses, ${answers[1].get(name)} with routes`,
  );
  const objects = objectsOf(small.sketches).map((object) => ({ object, comments: [] }));
  return [
    `SLUICE_SEED=${world.seed} SLUICE_WORLDS=1: ${JSON.stringify(asked)} with ${JSON.stringify(small.settings)}`,
    ...(fields.length > 0 ? fields : difference.fields),
    yamlOf(objects as unknown as Parameters<typeof yamlOf>[0]),
    made.yaml,
  ].join("\n");
}
