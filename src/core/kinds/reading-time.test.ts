/**
 * No text makes any Kind read for long. The Kinds come from the declarations, so a new one is
 * measured without being named here. The fastest of several runs counts, and the growth of its time
 * with the length, because a busy machine slows both runs.
 */
import { expect, test } from "vitest";
import { flagList } from "../../controller/flags.ts";
import { featureList } from "../policies/registry.ts";
import { settings } from "../settings/registry.ts";
import { type Kind, longestText, longestWord, readValue } from "./kind.ts";

const kinds = new Map<Kind<unknown>, string>();
for (const [, { fields }] of featureList)
  for (const { key, kind, loose } of Object.values(fields) as {
    key: string;
    kind: Kind<unknown>;
    loose?: Kind<unknown>;
  }[]) {
    kinds.set(kind, key);
    if (loose !== undefined) kinds.set(loose, `${key} without validation`);
  }
for (const { key, kind } of Object.values(settings)) kinds.set(kind as Kind<unknown>, key);
for (const [, { name, kind }] of flagList) kinds.set(kind as Kind<unknown>, `--${name}`);

/** Texts with which some patterns start again, some parsers recurse, and some lists grow. */
const units = [
  ...[
    " ",
    "\t",
    "\n",
    "[",
    "(",
    ")",
    "\\",
    "a",
    ",",
    "~",
    "[[:",
    "[:",
    "\\Q",
    "{1,",
    "1",
    "404",
    "_",
    "$",
    "${",
    "{",
    "a{",
  ],
  ...[
    "#\n",
    '"',
    "--[",
    "[=",
    ".",
    "*.",
    "/",
    ":",
    "(?#",
    "(?<a>",
    "[^",
    "a-b",
    "a,",
    "a ",
    "a=b",
    "\r\n",
    "\\\n",
    "é",
  ],
];
const beginnings = ["", "~", "x_by_lua_block {"];

function hostile(unit: string, beginning: string, length: number): string {
  return `${beginning}${unit.repeat(Math.ceil(length / unit.length))}`.slice(0, length - 1).concat("!");
}

const all = beginnings.flatMap((beginning) => units.map((unit) => ({ unit, beginning })));

/** Milliseconds of processor time, so that other programs do not count. */
function spent(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function quickest(kind: Kind<unknown>, text: string, enough: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 8 && best > enough; run++)
    best = Math.min(
      best,
      spent(() => readValue(kind, text)),
    );
  return best;
}

const limitMs = 50;

test("every Kind refuses a hostile megabyte in a moment", () => {
  const texts = all.map(({ unit, beginning }) => hostile(unit, beginning, 1_000_000));
  for (const [kind, name] of kinds) {
    for (const text of texts) {
      expect(readValue(kind, text).ok, name).toBe(false);
    }
    expect(quickest(kind, texts[0]!, limitMs), name).toBeLessThan(limitMs);
  }
});

test("every Kind reads the longest text that it accepts in a moment, whatever it contains", () => {
  const slow: string[] = [];
  for (const [kind, name] of kinds) {
    const { longest = longestWord } = kind;
    expect(longest, name).toBeLessThanOrEqual(longestText);
    for (const { unit, beginning } of all) {
      const text = hostile(unit, beginning, longest);
      const enough = 2 * limitMs;
      if (spent(() => readValue(kind, text)) <= enough) continue;
      const best = quickest(kind, text, enough);
      // A busy machine slows both runs. In quadratic time, twice the text takes four times as long.
      const half = quickest(kind, hostile(unit, beginning, Math.ceil(longest / 2)), 0);
      if (best > 10 * enough || (best > enough && best > 3 * half))
        slow.push(`${name}: ${JSON.stringify(beginning)} and ${JSON.stringify(unit)} again and again`);
    }
  }
  expect(slow).toEqual([]);
});
