import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Chance } from "../../../test/support/chance.ts";
import { Journal } from "./journal.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-journal-"));
  path = join(folder, "journal");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes each list of changes by itself, and waits until the header names their length. */
async function written(...writes: readonly (readonly (readonly [string, string?])[])[]): Promise<Journal> {
  const journal = await Journal.open(path);
  for (const changes of writes) await journal.write(changes.map(([key, value]) => [key, value] as const));
  await journal.synced();
  return journal;
}

const found = async () => {
  const { records, found } = await Journal.open(path);
  return [found.kind, Object.fromEntries(records)] as const;
};

test("records that were written are read when the journal is opened again", async () => {
  await written(
    [
      ["host ä", "1"],
      ["host b", "2"],
    ],
    [["host ä", '"ü"\n']],
    [["host b"]],
  );
  expect(await found()).toEqual(["intact", { "host ä": '"ü"\n' }]);
});

test("history makes the journal at most twice as long as its valid records, plus a megabyte", async () => {
  const journal = await Journal.open(path);
  const values = ["x", "y", "z"].map((letter) => letter.repeat(100_000));
  await journal.write([["host gone", "g".repeat(2_000_000)]]);
  await journal.write([["host gone", undefined]]);
  expect(statSync(path).size).toBeLessThan(1_000);
  for (let round = 0; round < 60; round++) {
    await journal.write([["host a", values[round % 3]]]);
    expect(statSync(path).size).toBeLessThan(1_300_000);
  }
  const again = await Journal.open(path);
  expect([...again.records]).toEqual([["host a", values[59 % 3]]]);
  await again.write([["host b", "1"]]);
  expect(readFileSync(path, "utf8")).toMatch(/"host b","1"\]\n[\da-f]{8} \[\d+\]\n$/);
});

test("a journal that is missing, empty, cut, or of another version has no records", async () => {
  expect(await found()).toEqual(["missing", {}]);
  writeFileSync(path, "");
  expect(await found()).toEqual(["damaged", {}]);
  await written([["host a", "1"]], [["host b", "2"]]);
  const whole = readFileSync(path);
  for (let length = 1; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length));
    expect(await found()).toEqual(["damaged", {}]);
  }
  writeFileSync(path, whole.toString().replace("sluice-journal 3", "sluice-journal 2"));
  expect((await Journal.open(path)).found).toEqual({
    kind: "other-version",
    why: "it has version 2, and this release reads version 3",
    lines: 4,
  });
  writeFileSync(path, '["instance","x"]\n["host a","1"]\n');
  expect((await Journal.open(path)).found).toMatchObject({ kind: "damaged", lines: 1 });
});

test("each change of one byte is found, as is a line that is lost, repeated, moved, or of an older journal", async () => {
  await written([["host a", "1"]]);
  const older = readFileSync(path, "utf8").split("\n");
  rmSync(path);
  await written([["host a", "1"]], [["host b", "2"]], [["host b"]]);
  const whole = readFileSync(path);
  const chance = new Chance(7);
  for (let at = 0; at < whole.length; at++) {
    const other = Buffer.from(whole);
    other[at] = (other[at]! + 1 + Math.floor(chance.share() * 255)) % 256;
    writeFileSync(path, other);
    expect([at, (await found())[1]]).toEqual([at, {}]);
  }
  const [head = "", one = "", end = "", ...rest] = whole.toString().split("\n");
  const texts = [
    [head, end, ...rest],
    [head, one, one, end, ...rest],
    [head, end, one, ...rest],
    [head, ...older.slice(1, 3), ...rest],
    [older[0], one, end, ...rest],
  ];
  for (const lines of texts) {
    writeFileSync(path, lines.join("\n"));
    expect((await found())[0]).toBe("damaged");
  }
});

test("a write that was broken off is left out as a whole, and removed by the next write", async () => {
  await written([["host a", "1"]]);
  const { size } = statSync(path);
  const before = readFileSync(path).subarray(0, size);
  await written([
    ["host b", "2"],
    ["host c", "3"],
  ]);
  const after = readFileSync(path);
  // The header of before: the sync of the second write did not happen.
  for (const length of [size + 5, after.length - 10]) {
    writeFileSync(path, Buffer.concat([before, after.subarray(size, length)]));
    expect(await found()).toEqual(["unfinished", { "host a": "1" }]);
  }
  await written([["host d", "4"]]);
  expect(await found()).toEqual(["intact", { "host a": "1", "host d": "4" }]);
  appendFileSync(path, '["host x","1"]\n');
  expect(await found()).toEqual(["unfinished", { "host a": "1", "host d": "4" }]);
});

test("a whole write whose sync did not happen counts", async () => {
  await written([["host a", "1"]]);
  const header = readFileSync(path, "utf8").split("\n")[0]!;
  await written([["host b", "2"]]);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, header + text.slice(header.length));
  expect(await found()).toEqual(["intact", { "host a": "1", "host b": "2" }]);
});

test("a failed write leaves nothing behind which the next one is lost", async () => {
  const journal = await written([["host a", "1"]]);
  rmSync(folder, { recursive: true });
  await expect(journal.write([["host b", "2"]])).rejects.toThrow("ENOENT");
  folder = mkdtempSync(join(tmpdir(), "sluice-journal-"));
  path = join(folder, "journal");
  await written([["host z", "1"]]);
  truncateSync(path, 60);
  await written([
    ["host a", "1"],
    ["host b", "2"],
  ]);
  expect(await found()).toEqual(["intact", { "host a": "1", "host b": "2" }]);
});
