import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const words = ["proxy-body-size", "proxy-buffer-size", "ssl-redirect", "app-root"];

test.each([
  ["proxy-body-sise", "proxy-body-size"],
  ["proxy-boyd-size", "proxy-body-size"],
  ["ssl-redirects", "ssl-redirect"],
  ["approot", "app-root"],
  ["websocket-services", undefined],
  ["x", undefined],
])("the nearest word to %s is %s", (text, meant) => {
  expect(nearest(text, words)).toBe(meant);
});

test("a listed word that ends the text is the nearest where no other one is similar", () => {
  expect(nearest("rate-limit-rps", ["limit-rps", "rps", "limit-rpm"])).toBe("limit-rps");
  expect(nearest("ratelimitrps", ["rps"])).toBeUndefined();
});
