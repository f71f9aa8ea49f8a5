/**
 * Searches every text field for hostile values that have an effect. CI makes the same short run
 * each time, so a failure there comes from a change. A long run draws a new seed. Seeds are
 * printed.
 *
 *   npm run test:hostile                    100,000 objects that the API server would accept
 *   HOSTILE_SEED=7 HOSTILE_OBJECTS=5000     repeats the run of a seed, or sets its length
 *   HOSTILE_MINUTES=40                      ends the run after this time
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pkiIn } from "../../support/pki.ts";
import { emptyTally, openSearch, type Tally } from "./search.ts";

const objects = Number(process.env.HOSTILE_OBJECTS ?? 400);
const drawn = process.env.HOSTILE_OBJECTS === undefined ? 1 : Date.now() % 1_000_000_000;
const seed = Number(process.env.HOSTILE_SEED ?? drawn);
const minutes = Number(process.env.HOSTILE_MINUTES ?? Number.POSITIVE_INFINITY);
const perBatch = Math.min(500, Math.ceil(objects / 4));
/** One object in a hundred is the operator's ConfigMap. */
const settingsPerBatch = Math.max(1, Math.round(perBatch / 100));

const ways = [
  ["dynamic", []],
  ["static", []],
  ["dynamic", ["--enable-annotation-validation=false", "--deep-inspect=false", "--enable-ssl-passthrough"]],
  ["static", ["--enable-annotation-validation=false", "--deep-inspect=false"]],
] as const;

describe(`seed ${seed}`, () => {
  test.each(ways)(
    "%s mode with the flags %j has no finding",
    { timeout: 60_000 + 200 * objects },
    async (mode, flags) => {
      const folder = mkdtempSync(join(tmpdir(), "search-"));
      const pki = await pkiIn(folder);
      const search = await openSearch(mode, flags, pki.ca.certificate);
      const tally = emptyTally();
      try {
        const share = objects / ways.length;
        const until = performance.now() + (60_000 * minutes) / ways.length;
        for (let from = 0; tally.tried < share && tally.findings.length < 20; from += perBatch + settingsPerBatch) {
          if (performance.now() > until) break;
          await search.batch(seed, from, perBatch, tally);
          await search.settings(seed, from, settingsPerBatch, tally);
        }
      } finally {
        await search.stop();
        rmSync(folder, { recursive: true });
        process.stdout.write(report(`${mode} ${flags.join(" ")}`, tally));
      }
      expect(tally.findings).toEqual([]);
      expect(tally.accepted).toBeGreaterThan(tally.tried / 20);
      expect(tally.values).toBeGreaterThan(tally.accepted);
      expect(tally.slowestTurnMs, "milliseconds of one turn").toBeLessThan(30_000);
    },
  );
});

function report(way: string, { findings, reasons, ...counts }: Tally): string {
  const numbers = Object.entries({ ...counts, differences: findings.length }).map(
    ([name, count]) => `${name} ${Math.round(count)}`,
  );
  const lines = [...reasons].sort((a, b) => b[1] - a[1]).map(([why, count]) => `  ${count} ${why}`);
  return `\nhostile search, seed ${seed}, ${way}: ${numbers.join(", ")}\n${lines.slice(0, 12).join("\n")}\n`;
}
