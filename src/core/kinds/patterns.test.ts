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
  "(a)\\1",
  "(?<x>a)\\1",
  "\\\\1",
  "[a-c0-9_-]+[z\\-a]",
  "x{2,2}\\{3,1\\}",
  "(?:ab|c)(?>d)",
  "",
])("%j is accepted as a Perl regular expression", (pattern) => {
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
  ["a{3,1}", "the numbers of {3,1} are out of order"],
  ["a{70000}", "{70000} is more than 65535"],
  ["[z-a]", "the range z-a is out of order"],
  ["[[:letters:]]", "there is no class [:letters:]"],
  ["(?:a)\\1", "there is no group for \\1"],
  ["(?<x>a)(?<x>b)", "two groups are named x"],
])("%j is refused as a regular expression: %s", (pattern, why) => {
  expect(regexMistake(pattern)).toBe(why);
});

test.each([
  ["default", '"\\\\default"'],
  ["\\x", '"\\\\\\\\x"'],
  ["~^a\\d$", '"~^a\\\\d$"'],
  ["curl/8", '"curl/8"'],
])("%j is printed so that nginx reads it back in a map", (pattern, printed) => {
  expect(String(mapPattern.view(pattern))).toBe(printed);
});
