import { expect, test } from "vitest";
import { shown, withoutCredentials } from "./shown.ts";

test("users, passwords and queries of URLs are masked, and nothing else is", () => {
  for (const [text, expected] of [
    ["http://u:p@auth.example/check?token=t", "http://…@auth.example/check?…"],
    ["https://u:p@ss@a.example/", "https://…@a.example/"],
    ['annotation auth-url: "http://a/?t=1" holds "@"', 'annotation auth-url: "http://a/?…" holds "@"'],
    ["http://a/?", "http://a/?"],
    ["http://a/@user?x=@y", "http://a/@user?…"],
    ["the path /a//b?(c) and mail a@b.example", "the path /a//b?(c) and mail a@b.example"],
    ["a=http://a/?t=1 b=http://u@b/", "a=http://a/?… b=http://…@b/"],
  ])
    expect(withoutCredentials(text!)).toBe(expected);
});

test.each(["a", "a://", "//", "a://u@", "?", "a://?", '"a', " a://"])(
  "a long text of %j is masked in a moment",
  (unit) => {
    const time = (length: number): number => {
      const text = unit.repeat(length / unit.length);
      const runs = Array.from({ length: 3 }, () => {
        const begun = performance.now();
        shown(text, 500);
        return performance.now() - begun;
      });
      return Math.min(...runs);
    };
    // A function that reads the text once for each letter would take seconds for the first text.
    expect(time(20_000)).toBeLessThan(500);
    expect(time(200_000)).toBeLessThan(2_000);
  },
);
