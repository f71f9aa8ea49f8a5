import { expect, test } from "vitest";
import { longLines, wrapPage } from "./prose.ts";

const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at % 10}`).join(" ");
const page = (...lines: string[]): string => `${lines.join("\n")}\n`;

test("a long paragraph is found and wrapped with the lines below it, and others keep their bytes", () => {
  const text = page("# A", "", `${words(20)}`, "the end", "", "short", "lines", "");
  expect(longLines(text)).toEqual([{ line: 3, columns: 119 }]);
  const [first, second] = [words(20).slice(0, 95), "word6 word7 word8 word9 the end"];
  expect(wrapPage(text)).toBe(page("# A", "", first.trim(), second, "", "short", "lines", ""));
});

test("lines of an item are indented below its text, and the next item stays an item", () => {
  const text = page(`- ${words(18)}`, "  more", "- next", `1. ${words(18)}`);
  expect(wrapPage(text)).toBe(
    page(`- ${words(16)}`, "  word6 word7 more", "- next", `1. ${words(16)}`, "   word6 word7"),
  );
});

test.each([
  ["a heading", `# ${words(20)}`],
  ["a table", `| ${words(20)} |`],
  ["code", `\`\`\`\n${words(20)}\n\`\`\``],
  ["indented code", `text\n\n    ${words(20)}`],
  ["a line that sluice compat reads", `concerns: ${words(20)}`],
  ["one long word", `https://shop.example/${"a".repeat(100)}`],
])("%s may be long", (_, text) => {
  expect(longLines(page(text))).toEqual([]);
  expect(wrapPage(page(text))).toBe(page(text));
});

test("code in backquotes stays on one line, and no line begins with the sign of a list", () => {
  const code = `\`${"a b ".repeat(10).trim()}\``;
  expect(wrapPage(page(`${words(14)} ${code}`))).toBe(page(words(14), code));
  expect(wrapPage(page(`${words(16)} four - ${words(4)}`))).toBe(page(words(16), `four - ${words(4)}`));
});

test("a wrapped page has no long lines left", () => {
  const once = wrapPage(page(`- ${words(60)}`, "", words(40)));
  expect(longLines(once)).toEqual([]);
  expect(wrapPage(once)).toBe(once);
});
