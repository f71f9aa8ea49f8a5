/** The complete report in Markdown, for an issue or a merge request. */
import type { Assessment } from "./assess.ts";
import { leftOutText, pluralOf, type Section, sectionsOf, sumsOf, totalOf } from "./groups.ts";

export function reportMarkdown(found: Assessment, about: string): string {
  const title = `# From ingress-nginx to Sluice\n\n${inline(about)}\n`;
  return [title, table(found), ...sectionsOf(found, true).map(section)].join("");
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

function section({ title, chapters, lines }: Section): string {
  const parts = chapters.map(({ title: kind, groups }) => {
    const entries = groups.map(
      (group) => `- **${inline(group.title)}**\n${group.notes.map((one) => `  - ${inline(one)}\n`).join("")}`,
    );
    return `\n### ${kind}\n\n${entries.join("")}`;
  });
  const list = lines.length === 0 ? "" : `\n${lines.map((line) => `- ${inline(line)}\n`).join("")}`;
  return `\n## ${title}\n${parts.join("")}${list}`;
}

/** Escapes text of users, which may contain Markdown and HTML. */
function inline(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>|]/g, "\\$&");
}
