import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { isJsonText } from "./plain-json.ts";
import { plainDocuments } from "./plain-yaml.ts";
import { readWithPlaces } from "./yaml.ts";

/** Returns the careful reader's result; undefined for a mistake. */
function carefully(text: string): readonly unknown[] | undefined {
  const read = readWithPlaces(text);
  return read.ok ? read.documents.map(({ value }) => value) : undefined;
}

const root = join(import.meta.dirname, "../../..");
const files = ["examples", "test/golden", "test/parity/corpus", "charts/sluice/values.yaml"].flatMap((place) =>
  place.endsWith(".yaml")
    ? [place]
    : readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.(ya?ml|json)$/.test(file))
        .map((file) => join(place, file)),
);

test("both readers read the files of the repository alike, and the fast one reads most of them", () => {
  // Every fifth file is enough, because all of them would take long.
  const some = files.filter((_, at) => at % 5 === 0);
  const fast = some.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const plain = plainDocuments(text);
    if (plain !== undefined) expect([file, plain]).toEqual([file, carefully(text)]);
    return plain !== undefined;
  });
  expect(files.length).toBeGreaterThan(400);
  expect(fast.length / some.length).toBeGreaterThan(0.7);
});

const scalar = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(
    "yes",
    "No",
    "on",
    "~",
    "null",
    "1e3",
    "0x1f",
    "0o17",
    "012",
    "1_000",
    ".5",
    "5m",
    "2026-11-21",
    "*a",
    "<<",
    "1:30",
  ),
  fc.integer(),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

test("the fast reader's result is that of the careful reader, however the text is written", () => {
  const key = fc.string({ unit: "grapheme-ascii", maxLength: 6 });
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const style = fc.constantFrom(
    {},
    { defaultStringType: "QUOTE_SINGLE" as const },
    { collectionStyle: "flow" as const },
    {
      collectionStyle: "flow" as const,
      defaultStringType: "QUOTE_DOUBLE" as const,
      defaultKeyType: "QUOTE_DOUBLE" as const,
    },
    { version: "1.1" as const },
  );
  fc.assert(
    fc.property(fc.array(tree, { minLength: 1, maxLength: 3 }), style, (documents, options) => {
      const text = documents.map((document) => stringify(document, options)).join("---\n");
      const plain = plainDocuments(text);
      if (plain !== undefined) expect(plain).toEqual(carefully(text));
    }),
    { seed: 20261121, numRuns: 200 },
  );
});

test.each([
  ["a switch", "a: yes"],
  ["a switch in a list", "[no, 1]"],
  ["an anchor", "a: &x 1"],
  ["an alias", "a: *x"],
  ["a tag", "a: !!str 1"],
  ["a merge key", "<<: {a: 1}"],
  ["a tab", "a:\n\tb: 1"],
  ["a number that JSON does not have", "a: .inf"],
  ["a mistake", "a: [1"],
  ["the same key twice", "a: 1\na: 2"],
  ["the same key twice in JSON", '{"a": {"b": ":", "b": 2}}'],
  ["the same key twice in JSON behind a backslash", String.raw`{"a": "\\\\", "b": "\\\"", "b": 2}`],
  ["a mistake in JSON", '{"a": 1]'],
])("the fast reader leaves %s to the careful reader", (_, text) => expect(plainDocuments(text)).toBeUndefined());

test("text that was read ahead is read as what it is now", () => {
  expect(isJsonText('{"a": 1}')).toBe(true);
  expect(plainDocuments('{"a": 2}')).toEqual([{ a: 2 }]);
  expect(isJsonText('{"a": 1}')).toBe(true);
  expect(plainDocuments('{"a": 1}')).toEqual([{ a: 1 }]);
  expect(isJsonText("a: 1")).toBe(false);
  expect(plainDocuments("a: 1")).toEqual([{ a: 1 }]);
});

test("JSON is read as YAML, whatever its texts contain", () => {
  const value = {
    a: "x: {y} --- \\ \" ' # &",
    "\\\\": '\\":',
    "b: c": [1, -2.5e3, true, "yes", "on", "1"],
    d: { e: {}, f: [] },
  };
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, "\t"), JSON.stringify(value, null, 2)]) {
    expect(plainDocuments(`${text}\n---\n${text}\n`)).toEqual([value, value]);
    expect(carefully(text.replaceAll("\t", "  "))).toEqual([value]);
  }
});
