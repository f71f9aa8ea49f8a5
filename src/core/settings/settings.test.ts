import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settingSamples } from "../../../test/support/samples.ts";
import { written } from "../kinds/kind.ts";
import { settingList } from "./registry.ts";

const all = settingList.map(([, setting]) => setting);
const known = readFileSync(new URL("../../../test/fixtures/configmap-keys.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

test("every ConfigMap key of ingress-nginx is declared, and others are marked as Sluice's own", () => {
  const keys = all.filter(({ own }) => !own).map(({ key }) => key);
  console.log(
    `ConfigMap keys: ${known.length} known, ${keys.length} declared, ${known.filter((key) => !keys.includes(key)).length} missing`,
  );
  expect(keys.toSorted()).toEqual(known.toSorted());
});

test.each(settingList)("%s accepts its good samples and refuses its bad ones", (_name, setting) => {
  const { kind } = setting;
  const { good, bad } = settingSamples(setting);
  for (const text of good) expect(kind.read(text), text).toMatchObject({ ok: true });
  for (const text of bad) expect(kind.read(text), text).toMatchObject({ ok: false });
});

test.each(settingList)("%s accepts its default as the reference page has it", (_name, { kind, default: usual }) => {
  const text = written(kind, usual);
  const read = kind.read(text);
  if (text !== "") expect(read).toEqual({ ok: true, value: usual });
});

const hostile = [
  '"; } # \\',
  "a\nb;",
  "$host; }",
  "'; {",
  "\0",
  "x".repeat(5000),
  "\u2028",
  "${",
  "-1",
  "999999999999999999999",
];
const quoting = settingList.filter(([name]) => !name.endsWith("Snippet"));

test.each(quoting)(
  "%s prints hostile text that it accepts in quotes, or without characters that need them",
  (_name, { kind }) => {
    for (const text of hostile) {
      const read = kind.read(text);
      for (const word of read.ok ? [kind.view(read.value)].flat() : []) {
        expect(String(word)).toMatch(/^(("([^"\\\n\0]|\\.)*"|[^"{};\\\n\0 ]*)( |$))+$/u);
      }
    }
  },
);

test("the keys that another key needs exist", () => {
  for (const { onlyWith = [] } of all) for (const other of onlyWith) expect(all.map(({ key }) => key)).toContain(other);
});
