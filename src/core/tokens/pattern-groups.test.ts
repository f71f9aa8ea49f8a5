import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { regexMistake } from "../kinds/patterns.ts";
import { groupsOf, numbered } from "./pattern-groups.ts";

describe("names of groups become their numbers", () => {
  test.each([
    ["CN=(?<best_http_host>.*)", "CN=(.*)"],
    ["(?P<a>x)(y)(?'b'z)", "(x)(y)(z)"],
    ["(?<a>x)\\k<a>\\k'a'\\k{a}\\g{a}(?P=a)", "(x)\\g{1}\\g{1}\\g{1}\\g{1}\\g{1}"],
    ["(?<a>x)(?<b>y)(?&b)(?P>a)\\g<b>\\g'a'", "(x)(y)(?2)(?1)(?2)(?1)"],
    ["(?<a>x)?(?(<a>)y|z)(?('a')y)(?(a)y)(?(R&a)y)(?(R)y)", "(x)?(?(1)y|z)(?(1)y)(?(1)y)(?(R1)y)(?(R)y)"],
    ["(?|(?<a>x)(y)|(?<a>z))(?<b>c)\\k<b>", "(?|(x)(y)|(z))(c)\\g{3}"],
    ["(?#(?<n>)(?<a>x)", "(?#)(x)"],
    ["[(?<n>](?<a>x)", "[(\\?<n>](x)"],
    ["[](?<n>](?<a>x)", "[](\\?<n>](x)"],
    ["[[:alpha:](?<n>](?<a>x)", "[[:alpha:](\\?<n>](x)"],
    ["\\Q(?<n>\\E(?<a>x)", "\\(\\?\\<n\\>(x)"],
    ["[\\Q]\\E(?<n>](?<a>x)", "[\\](\\?<n>](x)"],
    ["(?i)(?<a>x)(?-i:y)(?R)", "(?i)(x)(?-i:y)(?R)"],
    ["(?<=a)(?<!b)(?<c>d)", "(?<=a)(?<!b)(d)"],
    ["(?(DEFINE)(?<n>x))(?&n)", "(?(DEFINE)(x))(?1)"],
    // a pattern without a named group stays unchanged
    ["(?x) a # (b)", "(?x) a # (b)"],
    ["[(?]<n>", "[(?]<n>"],
  ])("the groups of %s get numbers", (pattern, text) => {
    expect(groupsOf(pattern)).toMatchObject({ text, mistake: undefined });
  });
});

test.each([
  ["(?<a>x)(?<a>y)", "two groups are named a"],
  ["(?J)(?<a>x)|(?<a>y)", "two groups are named a"],
  ["(?x)(?<a>x)#(?<b>y)", "it has a comment beside a named group"],
  ["(?n)(?<a>x)", "it has the option n beside a named group"],
  ["(?<n>?<m>x)", "a quantifier has nothing to repeat"],
  ["\\c(?<n>x", "it names a group where no group can stand", 'a "(" is not closed'],
  ["\\(?<n>(?<a>x)", "it names a group where no group can stand"],
  ["(*MARK:(?<n>)x", "it names a group where no group can stand", 'a "(" is not closed'],
])("the pattern %s is refused: %s", (pattern, why, first = why) => {
  expect(groupsOf(pattern).mistake).toBe(why);
  expect(regexMistake(pattern)).toBe(first);
});

test("a replacement has a group's number in place of its name", () => {
  const pattern = "/(?<lang>[a-z]+)/(?<rest>.*)";
  expect(numbered("/$rest/$lang/${lang}x/$host/$1", pattern)).toBe("/$2/$1/$1x/$host/$1");
  expect(numbered("/$rest", "/(.*)")).toBe("/$rest");
});

/** The building blocks of Perl's regular expressions, with all spellings of a named group. */
const pieces =
  "a|b|(|)|[|]|^|\\|\\\\|\\Q|\\E|(?|?|*|<|>|'|P|P<|(?<n>|(?<m>|(?P<n>|(?'n'|(?|)|(?:|(?#|(?=|(?<=|(?<!|(?i)|(?x)|(?J)|(?n)|#|\\k<n>|\\k'm'|\\g{n}|(?P=n)|(?&n)|(?P>n)|(?(<n>)|(?('n')|(?(n)|(?(R&n)|(?R)|(*MARK:|(*ACCEPT)|\\c|\\c(|[:alpha:]|{2}|$|(?C'|(?>|(*pla:".split(
    "|",
  );

test("a pattern that is accepted has no named group in any spelling, and is read in one pass", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces, "|", "(?|"), { maxLength: 24 }), (some) => {
      const { text, mistake } = groupsOf(some.join(""));
      if (mistake === undefined) expect(text).not.toMatch(/\(\?P?<(?![=!])|\(\?'/);
    }),
    { numRuns: 20_000, seed: 17 },
  );
  for (const piece of pieces) {
    const long = piece.repeat(Math.ceil(100_000 / piece.length));
    // CPU time, because other programs slow down the clock on the wall.
    const before = process.cpuUsage();
    groupsOf(`(?<x>y)${long}`);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000, piece).toBeLessThan(2000);
  }
});
