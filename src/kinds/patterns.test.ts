import { expect, test } from "vitest";
import { mapPattern, regexMistake } from "./patterns.ts";

test.each([
  "^/a(b|c)*$",
  "(?<name>x)+",
  "(?!foo)bar(?=x)",
  "a{2,3}?b++",
  "[[:alpha:]]+[]a][^]b]",
  "\\(\\[\\*",
  "\\Q(*[\\E",
  "(?i)bot|(?:spider)?",
  "(?#a comment)x",
  "(*UTF8)x",
  "",
])("%j can be a Perl regular expression", (pattern) => {
  expect(regexMistake(pattern)).toBeUndefined();
});

test.each([
  ["(a", 'a "(" is not closed'],
  ["a)", 'a ")" has no "("'],
  ["[a", 'a "[" is not closed'],
  ["*a", "a quantifier has nothing to repeat"],
  ["a|+", "a quantifier has nothing to repeat"],
  ["(?a", 'a "(" is not closed'],
  ["a\\", "it ends in a backslash"],
])("%j does not compile", (pattern, why) => {
  expect(regexMistake(pattern)).toBe(why);
});

test.each([
  ["default", '"\\\\default"'],
  ["\\x", '"\\\\\\\\x"'],
  ["~^a\\d$", '"~^a\\\\d$"'],
  ["curl/8", '"curl/8"'],
])("%j is printed as nginx reads it in a map", (pattern, printed) => {
  expect(String(mapPattern.view(pattern))).toBe(printed);
});
