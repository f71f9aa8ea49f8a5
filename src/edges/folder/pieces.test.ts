import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { Path } from "../../core/schema/findings.ts";
import { documentsIn, itemsIn } from "./pieces.ts";
import { plainDocuments } from "./plain-yaml.ts";
import { readWithPlaces, readYaml } from "./yaml.ts";

/** Returns the paths of all fields of a value. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inside = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...inside.flatMap(([key, one]) => pathsIn(one, [...path, key]))];
}

/** Returns each field with its place. */
function placesIn(read: ReturnType<typeof readYaml>): unknown[] {
  if (!read.ok) throw new Error(read.why);
  return read.documents.flatMap(({ value, placeOf }) => pathsIn(value).map((path) => [path, placeOf(path)]));
}

const root = join(import.meta.dirname, "../../..");
const texts = ["examples", "test/golden", "test/parity/corpus"].flatMap((place) =>
  readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .map((file) => readFileSync(join(root, place, file), "utf8"))
    .filter((text) => plainDocuments(text) !== undefined),
);

test("the places of fields are those that a reader of the whole text finds", () => {
  // Every fifth text is enough, because all of them would take long.
  const some = texts.filter((_, at) => at % 5 === 0);
  expect(some.length).toBeGreaterThan(50);
  for (const text of some) expect(placesIn(readYaml(text))).toEqual(placesIn(readWithPlaces(text)));
});

const list = `# a dump
apiVersion: v1
items:
# the first
- kind: Secret
  data:
    text: |
      - kind: no item
      ---
  more:
  - a
- kind: Ingress

-   kind: Service
    name: "- no
      item"
kind: List
`;

test("each item of a List is found by itself", () => {
  const [document, ...others] = documentsIn(list);
  expect(others).toEqual([]);
  expect(itemsIn(document!)?.map(({ before, lines }) => [before, lines[0]])).toEqual([
    [4, "  kind: Secret"],
    [11, "  kind: Ingress"],
    [13, "    kind: Service"],
  ]);
  expect(placesIn(readYaml(list))).toEqual(placesIn(readWithPlaces(list)));
});

test.each([
  ["indented", stringify({ kind: "List", items: [{ a: 1 }, { b: [1, { c: 2 }] }] })],
  ["as JSON", JSON.stringify({ kind: "List", items: [{ a: 1 }, { b: 2 }] }, null, 2)],
  ["with documents beside it", `---\n\n---\na: 1\n...\n--- # nothing\n---\n${list}---\nb: 2\n`],
  ["whose items are another list's", "kind: List\nother:\n  items:\n  - a: 1\nitems: [{ a: 2 }, { a: 3 }]\n"],
  ["with lines of Windows", list.replaceAll("\n", "\r\n")],
])("fields have their right places in a List %s", (_, text) => {
  expect(placesIn(readYaml(text))).toEqual(placesIn(readWithPlaces(text)));
});
