import { expect, test } from "vitest";
import { otherSpellings } from "./header-spellings.ts";

const dropped = { ignoreInvalidHeaders: true, enableUnderscoresInHeaders: false };
const through = { ...dropped, enableUnderscoresInHeaders: true };

test("a name has other spellings only where nginx lets underscores through", () => {
  expect(otherSpellings(["X-Scheme"], dropped)).toEqual([]);
  expect(otherSpellings(["X-Scheme"], through)).toEqual(["x_scheme"]);
  expect(otherSpellings(["X-Scheme"], { ...dropped, ignoreInvalidHeaders: false })).toEqual(["x_scheme"]);
});

test("each hyphen may be an underscore, and no spelling is one of the names themselves", () => {
  expect(otherSpellings(["Host", "X-Real-IP"], through)).toEqual(["x-real_ip", "x_real-ip", "x_real_ip"]);
  expect(otherSpellings(["X-Real-IP", "x_real_ip"], through)).toEqual(["x-real_ip", "x_real-ip"]);
});

test("a name with very many hyphens has one other spelling, so that the text stays small", () => {
  expect(otherSpellings(["a-b-c-d-e"], through)).toHaveLength(15);
  expect(otherSpellings([`x${"-y".repeat(60)}`], through)).toEqual([`x${"_y".repeat(60)}`]);
});
