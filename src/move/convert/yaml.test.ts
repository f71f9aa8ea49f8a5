import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAllDocuments, parseDocument } from "yaml";
import { yamlOf } from "./yaml.ts";

const object = (spec: object) => ({ apiVersion: "v1", kind: "Thing", metadata: { name: "a" }, spec });
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "yes",
      "~",
      "null",
      "1e3",
      "- a",
      "a: b",
      "# a",
      "%a",
      "a\nb\n",
      "#a\n  - b: \n",
      "a\nb",
      "a\n\n",
      "",
      " a",
      "a ",
      "0x1",
    ),
    fc.integer(),
    fc.boolean(),
    fc.array(tie("any")),
    fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
      tie("any"),
    ),
  ),
})).any;

test("the YAML that is written has the values that were given", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
        value,
      ),
      (spec) => {
        const text = yamlOf([{ object: object(spec), comments: [] }]);
        const read = parseDocument(text);
        expect(read.errors).toEqual([]);
        expect(read.toJS()).toEqual(object(spec));
      },
    ),
  );
});

test("a comment stands above its value and ends with its line, whatever text it has", () => {
  const comments = [
    { at: [], text: "the whole" },
    { at: ["spec", "rules", 1], text: "second\nkind: Secret\r\u2028x: 1" },
    { at: ["spec", "rules", 1, "name"], text: "its name" },
  ];
  const text = yamlOf([{ object: object({ rules: [{ name: "a" }, { name: "b" }] }), comments }]);
  expect(text).toBe(`# the whole
apiVersion: v1
kind: Thing
metadata:
  name: a
spec:
  rules:
    - name: a
    # second
    # kind: Secret\\u000d\\u2028x: 1
    # its name
    - name: b
`);
  expect(parseAllDocuments(text)).toHaveLength(1);
});

test("no text of a user changes what a terminal or an editor shows", () => {
  const sly = "a\u202e}txet\u2066\u200f\u061c\u0085\u009b2J\ufeff\u001b[2J";
  const written = { object: object({ [sly]: [sly], path: sly }), comments: [{ at: ["spec", "path"], text: sly }] };
  const text = yamlOf([written]);
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(parseDocument(text).toJS()).toEqual(object({ [sly]: [sly], path: sly }));
});
