/**
 * `npm run check`: finds comment lines that are too long, and words that comments should not use
 * (CONTRIBUTING.md).
 */
import { globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { commentLines } from "./comments/comments.ts";
import { forbiddenWords, longestLine } from "./comments/words.ts";

const root = join(import.meta.dirname, "..");
const files = globSync(["{src,scripts,test,image}/**/*.{ts,mjs,sh}", "nginx/lua/**/*.lua"], { cwd: root }).toSorted();

/** Identifiers in backquotes, and addresses, may have any words and any length. */
const quoted = /`[^`]*`/g;
const word = new RegExp(`\\b(${Object.keys(forbiddenWords).join("|")})\\b`, "i");

const mistakes = files.flatMap((file) =>
  commentLines(readFileSync(join(root, file), "utf8"), extname(file).slice(1)).flatMap(({ line, text }) => {
    const [, found] = word.exec(text.replace(quoted, "")) ?? [];
    const isLong = text.length > longestLine && !/https?:\/\/\S{40}|biome-ignore/.test(text);
    return [
      ...(isLong ? [`${file}:${line}: the comment has ${text.length} columns; wrap it at ${longestLine}`] : []),
      ...(found === undefined ? [] : [`${file}:${line}: "${found}": write ${forbiddenWords[found.toLowerCase()]}`]),
    ];
  }),
);
for (const mistake of mistakes) console.error(mistake);
process.exitCode = mistakes.length === 0 ? 0 : 1;
