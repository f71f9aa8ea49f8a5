import { expect, test } from "vitest";
import { treeOf, wordsOf } from "./nginx-tree.ts";

test.each([
  ["a b;", [{ name: "a", args: ["b"] }]],
  [`a "b;c" 'd"e';`, [{ name: "a", args: ["b;c", 'd"e'] }]],
  ['a "b\\"c\\\\" d\\;e;', [{ name: "a", args: ['b"c\\', "d\\;e"] }]],
  ["a # b; c\n d;", [{ name: "a", args: ["d"] }]],
  ["a b#c;", [{ name: "a", args: ["b#c"] }]],
  ["a ${b} {c d;}", [{ name: "a", args: ["${b}"], block: [{ name: "c", args: ["d"] }] }]],
  ["if ($a) { b; }", [{ name: "if", args: ["($a)"], block: [{ name: "b", args: [] }] }]],
  ['if ("a") {b;}', [{ name: "if", args: ['("a")'], block: [{ name: "b", args: [] }] }]],
  ["x_by_lua_block { a('}') --}\n b[[}]] { } } y;", [expect.objectContaining({ block: [] }), { name: "y", args: [] }]],
  ["a b\\", undefined],
  ['a "b"c;', undefined],
  ["a {", undefined],
  ["}", undefined],
  ["a", undefined],
  [";", undefined],
])("the text %s is read as nginx reads it", (text, meant) => {
  if (meant === undefined) expect(() => treeOf(text)).toThrow();
  else expect(treeOf(text)).toEqual(meant);
});

test("only a text of whole words is read as words", () => {
  expect(wordsOf('"a b" c')).toEqual(["a b", "c"]);
  expect(wordsOf('"a"; b')).toBeUndefined();
  expect(wordsOf('"a" } x')).toBeUndefined();
  expect(wordsOf('"a')).toBeUndefined();
});
