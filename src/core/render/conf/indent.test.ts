import { expect, test } from "vitest";
import { indented } from "./indent.ts";

test("lines are indented by the depth of their braces", () => {
  expect(indented("http {\nserver {\nlocation / { return 404; }\n  x;\n}\n}\n")).toBe(
    "http {\n    server {\n        location / { return 404; }\n        x;\n    }\n}\n",
  );
});

test.each([
  ['a {\nset $x "}";\nb;\n}', 'a {\n    set $x "}";\n    b;\n}\n'],
  ["a {\n# it's {\nb;\n}", "a {\n    # it's {\n    b;\n}\n"],
  ["a {\nset $x ${y}z;\n}", "a {\n    set $x ${y}z;\n}\n"],
  ['a {\nx "one\n  two {";\nb;\n}', 'a {\n    x "one\n  two {";\n    b;\n}\n'],
  ['a {\nx "\\"{";\n}', 'a {\n    x "\\"{";\n}\n'],
])("braces in quotes, comments and variables do not count: %j", (text, expected) => {
  expect(indented(text)).toBe(expected);
});
