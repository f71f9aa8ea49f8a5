/**
 * `npm run check`: finds comment lines that are too long, words that comments should not use, and
 * long lines in the prose of pages (CONTRIBUTING.md). With `--wrap` it wraps such pages in place.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { commentLines } from "./comments/comments.ts";
import { longLines, wrapPage } from "./comments/prose.ts";
import { forbiddenWords, longestLine } from "./comments/words.ts";

const root = join(import.meta.dirname, "..");
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const filesIn = (...patterns: string[]): readonly string[] => globSync(patterns, { cwd: root }).toSorted();

const sources = filesIn(
  "*.{ts,mjs}",
  "{src,scripts,test,image,bin,examples}/**/*.{ts,mjs,sh}",
  "ui/**/*.js",
  "nginx/lua/**/*.lua",
  "{image,nginx/modules}/**/*.{c,h}",
  "templates/**/*.tmpl",
  "charts/**/*.tpl",
);

/** Programs write these pages. */
const generated = /^docs\/(?:reference\/|(?:performance|chart-values|configurations)\.md$)/;
const pages = filesIn("*.md", "{docs,charts,examples}/**/*.md", "test/bench/notes.md").filter(
  (file) => !generated.test(file),
);

/** Identifiers in backquotes, and addresses, may have any words and any length. */
const quoted = /`[^`]*`/g;
const word = new RegExp(`\\b(${Object.keys(forbiddenWords).join("|")})\\b`, "i");

function commentMistakes(file: string): readonly string[] {
  return commentLines(textOf(file), extname(file).slice(1)).flatMap(({ line, text }) => {
    const [, found] = word.exec(text.replace(quoted, "")) ?? [];
    const isLong = text.length > longestLine && !/https?:\/\/\S{40}|biome-ignore/.test(text);
    return [
      ...(isLong ? [`${file}:${line}: the comment has ${text.length} columns; wrap it at ${longestLine}`] : []),
      ...(found === undefined ? [] : [`${file}:${line}: "${found}": write ${forbiddenWords[found.toLowerCase()]}`]),
    ];
  });
}

const wrapping = "`node scripts/check-comments.ts --wrap` wraps the page at 100";
const pageMistakes = (file: string): readonly string[] =>
  longLines(textOf(file)).map(({ line, columns }) => `${file}:${line}: the line has ${columns} columns; ${wrapping}`);

if (process.argv.includes("--wrap")) for (const file of pages) writeFileSync(join(root, file), wrapPage(textOf(file)));
const mistakes = [...sources.flatMap(commentMistakes), ...pages.flatMap(pageMistakes)];
for (const mistake of mistakes) console.error(mistake);
process.exitCode = mistakes.length === 0 ? 0 : 1;
