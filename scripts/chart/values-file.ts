/**
 * Writes values.yaml: every value with its default and a sentence. Values without an effect are
 * left out, so that a value in a user's own file can be distinguished from a default.
 */
import { stringify } from "yaml";
import { type Branch, isBranch, treeOf } from "./tree.ts";
import type { ChartValue } from "./value.ts";

const head = `# Values of the Sluice chart. Paths and defaults are those of ingress-nginx's chart 4.15.1 unless docs/chart-values.md says otherwise.
# This file is generated from scripts/chart/values/; edit it there and run: npm test chart -- --update
`;

export function valuesFile(values: readonly ChartValue[]): string {
  const meant = values.filter((value) => value.fate.kind !== "no-meaning");
  return `${head}\n${branch(treeOf(meant), "").join("\n")}\n`;
}

function branch(node: Branch, indent: string): readonly string[] {
  return [...node.children].flatMap(([key, child]) => {
    if (!isBranch(child)) return leaf(key, child, indent);
    const inner = branch(child, `${indent}  `);
    const empty = inner.every((line) => line.trimStart().startsWith("#"));
    return [`${indent}${key}:${empty ? " {}" : ""}`, ...inner];
  });
}

function leaf(key: string, value: ChartValue, indent: string): readonly string[] {
  const comment = wrap(value.does, 118 - indent.length).map((line) => `${indent}# ${line}`);
  if (value.fallback === undefined) return [...comment, `${indent}# ${key}:`];
  const text = stringify({ [key]: value.fallback }, { lineWidth: 0, flowCollectionPadding: false }).trimEnd();
  return [...comment, ...text.split("\n").map((line) => indent + line)];
}

function wrap(sentence: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of sentence.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
