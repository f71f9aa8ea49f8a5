/**
 * The journal is read by nginx and by the controller. Both must find the same records in every
 * journal, however it was damaged, and only those that were written.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Journal } from "../../src/nginx/index.ts";
import { Chance } from "../support/chance.ts";
import { corrupted } from "./support/corrupted.ts";
import { type TestNginx, testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";

const lua = fileURLToPath(new URL("../../nginx/lua", import.meta.url));
const to = "127.99.0.7:8080";
const folder = mkdtempSync(join(tmpdir(), "sluice-journal-"));
const path = join(folder, "journal");
let nginx: TestNginx;

beforeAll(async () => {
  nginx = await testNginx();
  // Each load of a damaged journal is an error of nginx's log.
  nginx.expectError(/the journal could not be loaded: /);
  await nginx.serve({
    workers: 1,
    http: `
    lua_package_path "${lua}/?.lua;;";
    lua_shared_dict sluice_records_3 8m;
    server {
      listen ${to};
      location / {
        content_by_lua_block {
          local records, json = ngx.shared.sluice_records_3, require("cjson.safe")
          records:flush_all()
          records:flush_expired()
          require("sluice.journal").load("${path}")
          local found, writing = {}, records:get("writing")
          for _, key in ipairs(records:get_keys(0)) do
            if key ~= "writing" and key ~= "g" then
              found[#found + 1] = { key, (records:get(key)) }
            end
          end
          ngx.say(json.encode({ writing = writing, found = found }))
        }
      }
    }`,
  });
});
afterAll(async () => {
  await nginx.stop();
  rmSync(folder, { recursive: true });
});

type Records = Readonly<Record<string, string>>;

/** Returns what nginx loads, and what the controller reads. */
async function loaded(): Promise<readonly [Records, Records]> {
  const { writing, found } = JSON.parse((await request({ to })).body);
  expect(writing).toBe(1);
  const pairs = Array.isArray(found) ? (found as readonly (readonly [string, string])[]) : [];
  return [Object.fromEntries(pairs), Object.fromEntries((await Journal.open(path)).records)];
}

/** Writes a journal in several writes, and returns the records after each of them. */
async function newJournal(chance: Chance): Promise<readonly Records[]> {
  rmSync(path, { force: true });
  const journal = await Journal.open(path);
  const states: Records[] = [];
  const write = async (changes: readonly (readonly [string, string | undefined])[]) => {
    await journal.write(changes);
    states.push(Object.fromEntries(journal.records));
  };
  await write([["instance", "one"]]);
  await write(Array.from({ length: 20 }, (_, at) => [`host ${at}.example`, `{"a":"${"ü".repeat(at)}\\n"}`]));
  for (let change = 0; change < 5; change++) {
    const key = `host ${Math.floor(chance.share() * 25)}.example`;
    await write([
      [key, chance.share() < 0.5 ? undefined : `${change}`],
      ["upstream a/b/80", `${change}`],
    ]);
  }
  await journal.synced();
  return states;
}

test("nginx and the controller read a whole journal alike", async () => {
  const states = await newJournal(new Chance(1));
  expect(await loaded()).toEqual([states.at(-1), states.at(-1)]);
  rmSync(path);
  expect(await loaded()).toEqual([{}, {}]);
});

test("a write that was broken off is left out by nginx as well, and one without its sync is not", async () => {
  const states = await newJournal(new Chance(2));
  const before = readFileSync(path);
  const journal = await Journal.open(path);
  await journal.write([
    ["host late.example", "1"],
    ["host later.example", "2"],
  ]);
  await journal.synced();
  const after = readFileSync(path);
  for (let length = before.length; length < after.length; length++) {
    writeFileSync(path, Buffer.concat([before, after.subarray(before.length, length)]));
    expect(await loaded()).toEqual([states.at(-1), states.at(-1)]);
  }
  writeFileSync(path, Buffer.concat([before, after.subarray(before.length)]));
  const whole = Object.fromEntries(journal.records);
  expect(await loaded()).toEqual([whole, whole]);
});

test("1,000 random corruptions of a journal give no record at all, or all of them where only its end is repeated", async () => {
  const seed = Number(process.env.SLUICE_SEED ?? 1);
  const chance = new Chance(seed);
  const right = (await newJournal(chance)).at(-1);
  const whole = readFileSync(path);
  for (let round = 0; round < 1_000; round++) {
    const { bytes, how } = corrupted(whole, chance);
    writeFileSync(path, bytes);
    const expected = bytes.indexOf(whole) === 0 ? right : {};
    expect([how, seed, round, ...(await loaded())]).toEqual([how, seed, round, expected, expected]);
  }
});
