/** The complete report in Markdown, for an issue or a merge request. */
import type { Assessment } from "./assess.ts";
import {
  type Chapter,
  chaptersOf,
  idleLines,
  leftOutText,
  pluralOf,
  sameNames,
  sumsOf,
  totalOf,
  unjudgedLines,
} from "./groups.ts";

export function reportMarkdown(found: Assessment, about: string): string {
  const { items, everybody } = found;
  return [
    `# From ingress-nginx to Sluice\n\n${inline(about)}\n`,
    table(found),
    section("Needs work", chaptersOf(items, "work", true)),
    list("Not judged", unjudgedLines(found)),
    section("Differs", chaptersOf(items, "differs", true)),
    list(
      "The same",
      sameNames(items).map(([noun, names]) => `${noun}: ${names.join(", ")}`),
    ),
    list("Wrong or without effect already, in ingress-nginx as here", idleLines(items)),
    list("For every cluster", everybody),
  ].join("");
}

function table(found: Assessment): string {
  const rows = sumsOf(found).map((sum) => {
    const total = totalOf(sum);
    return `| ${total} ${pluralOf(sum, total)} | ${sum.same} | ${sum.differs} | ${sum.work} |\n`;
  });
  const leftOut = leftOutText(found);
  const rest = leftOut === "" ? "" : `\nIngresses${inline(leftOut.replace(/^, (\d+)/, ": $1"))}.\n`;
  return `\n| | the same | differ | need work |\n|---|---:|---:|---:|\n${rows.join("")}${rest}`;
}

function section(title: string, chapters: readonly Chapter[]): string {
  if (chapters.length === 0) return "";
  const parts = chapters.map(({ title: kind, groups }) => {
    const entries = groups.map(
      (group) => `- **${inline(group.title)}**\n${group.notes.map((one) => `  - ${inline(one)}\n`).join("")}`,
    );
    return `\n### ${kind}\n\n${entries.join("")}`;
  });
  return `\n## ${title}\n${parts.join("")}`;
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n## ${title}\n\n${lines.map((line) => `- ${inline(line)}\n`).join("")}`;
}

/** Escapes text of users, which may contain Markdown and HTML. */
function inline(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>|]/g, "\\$&");
}
