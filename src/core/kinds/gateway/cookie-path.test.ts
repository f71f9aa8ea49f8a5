import { expect, test } from "vitest";
import { literalPath } from "./cookie-path.ts";

test.each([
  ["/", false, "/"],
  ["/shop/", false, "/shop"],
  ["/shop/a;b/c", false, "/shop"],
  [";", false, "/"],
  ["/p1/.*/p3", true, "/p1"],
  ["/p1.*", true, "/"],
  [".*", true, "/"],
  ["(?i:/p1)(?s:.*)", true, "/"],
])("the cookie of %s (a pattern: %s) has the path %s", (text, isPattern, path) => {
  expect(literalPath(text, isPattern)).toBe(path);
});
