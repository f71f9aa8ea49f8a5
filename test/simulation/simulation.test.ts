/**
 * Runs histories from a range of seeds, which `SLUICE_SEEDS=A..B` replaces. It prints how often
 * each step and each rule really occurred, so that a rule that is never judged is seen.
 */
import { expect, test } from "vitest";
import { faults } from "./faults.ts";
import { historyOf } from "./history.ts";
import { rules } from "./rules.ts";
import { given, simulate } from "./simulate.ts";

const [first, last] = (process.env.SLUICE_SEEDS ?? "31..62").split("..").map(Number) as [number, number];

test("the same seed gives the same events", async () => {
  const made = await given();
  const [one, other] = [await simulate(historyOf(7), made), await simulate(historyOf(7), await given())];
  expect(one.trace).toBe(other.trace);
  expect(one.trace).not.toBe((await simulate(historyOf(8), made)).trace);
});

test(`no rule is broken by the seeds ${first} to ${last}`, async () => {
  const made = await given();
  const counts = new Map<string, number>();
  const broken: string[] = [];
  for (let seed = first; seed <= last; seed++) {
    const outcome = await simulate(historyOf(seed), made);
    for (const [name, count] of outcome.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    if (outcome.broken !== undefined) broken.push(`seed ${seed}: ${outcome.broken.rule}: ${outcome.broken.words}`);
  }
  console.log(
    [...counts]
      .sort()
      .map(([name, count]) => `${count} ${name}`)
      .join("\n"),
  );
  expect(broken).toEqual([]);
  expect(rules.filter(({ name }) => !counts.has(`rule ${name}`)).map(({ name }) => name)).toEqual([]);
  expect(faults.filter(({ name }) => counts.has(`fault ${name}`)).length).toBeGreaterThan(faults.length / 2);
});
