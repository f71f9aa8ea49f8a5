/**
 * Prints the report as text. The sums come first. Then come the things that need work, were not
 * judged, differ, or stay the same, and at last existing mistakes.
 */
import { wrapped } from "../../tools/wrap.ts";
import type { Assessment } from "./assess.ts";
import { leftOutText, pluralOf, type Section, sectionsOf, sumsOf, totalOf } from "./groups.ts";

export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
}

export interface Layout {
  readonly paint: Paint;
  /** Columns of the terminal. */
  readonly width: number;
  /** Whether every name and sentence is printed instead of one page. */
  readonly all: boolean;
}

export interface About {
  /** The file, the folder or the server. */
  readonly where: string;
  /** The controller whose flags and ConfigMap count. */
  readonly by: string;
}

export function reportText(found: Assessment, about: About, layout: Layout): string {
  const { everybody } = found;
  const { width, all } = layout;
  const everyone = `For every cluster there are ${everybody.length} small differences, such as: ${everybody[0]}. docs/differences.md has them all, with reasons.`;
  return [
    `${about.where}:\n`,
    wrapped(about.by, { first: "  ", rest: "  " }, width),
    sums(found, layout),
    ...sectionsOf(found, all).map((one) => section(one, layout)),
    all ? "" : `\n${wrapped(everyone, plain, width)}`,
  ].join("");
}

const plain = { first: "", rest: "  " } as const;
const listed = { first: "  ", rest: "      " } as const;
const entry = { first: "    ", rest: "        " } as const;
const note = { first: "        ", rest: "        " } as const;

function sums(found: Assessment, { paint, width }: Layout): string {
  const lines = sumsOf(found).map((sum, at) => {
    const total = totalOf(sum);
    const { same, differs, work } = sum;
    const numbers = `${String(total).padStart(6)} ${pluralOf(sum, total).padEnd(15)} ${String(same).padStart(5)} the same ${String(differs).padStart(5)} differ ${String(work).padStart(5)} need work`;
    const rest = at === 0 ? leftOutText(found) : "";
    if (numbers.length + rest.length <= width || rest === "") return `${numbers}${rest}\n`;
    return `${numbers},\n${wrapped(rest.slice(2), { first: "       ", rest: "       " }, width)}`;
  });
  const { length } = found.unjudged;
  const unjudged = length === 0 ? "" : `${String(length).padStart(6)} ${length === 1 ? "part" : "parts"} not judged\n`;
  const all = `${lines.join("")}${unjudged}`;
  return found.ingresses.work === 0 && found.unjudged.length === 0 ? paint.good(all) : all;
}

function section({ title, chapters, lines, tone, few = lines.length }: Section, { paint, all, width }: Layout): string {
  const parts = chapters.map(({ title: kind, groups }) => {
    const entries = groups.map(
      (group) => `${wrapped(group.title, entry, width)}${group.notes.map((one) => wrapped(one, note, width)).join("")}`,
    );
    return `  ${kind}\n${entries.join("")}`;
  });
  const shown = (all ? lines : lines.slice(0, few)).map((line) => wrapped(line, listed, width));
  const left = lines.length - shown.length;
  const more = left > 0 ? `  and ${left} more: see --all\n` : "";
  return `\n${tone === undefined ? title : paint[tone](title)}\n${[...parts, ...shown].join("")}${more}`;
}
