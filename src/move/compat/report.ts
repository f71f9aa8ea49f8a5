/**
 * Prints the report as text. The sums come first. Then come the things that need work, were not
 * judged, differ, or stay the same, and at last existing mistakes.
 */
import { wrapped } from "../../tools/wrap.ts";
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
  const { items, everybody } = found;
  const { paint, width, all } = layout;
  const everyone = all
    ? ["\nFor every cluster\n", ...everybody.map((how) => wrapped(how, listed, width))].join("")
    : `\n${wrapped(`For every cluster there are ${everybody.length} small differences, such as: ${everybody[0]}. docs/differences.md has them all, with reasons.`, plain, width)}`;
  return [
    `${about.where}:\n`,
    wrapped(about.by, { first: "  ", rest: "  " }, width),
    sums(found, layout),
    section("Needs work", chaptersOf(items, "work", all), paint.bad, width),
    list("Not judged", unjudgedLines(found, all), paint.bad, layout, Number.POSITIVE_INFINITY),
    section("Differs", chaptersOf(items, "differs", all), paint.warn, width),
    same(found, layout),
    list(
      "Wrong or without effect already, in ingress-nginx as here",
      idleLines(items),
      (text) => text,
      layout,
      fewIdle,
    ),
    everyone,
  ].join("");
}

const plain = { first: "", rest: "  " } as const;
const listed = { first: "  ", rest: "      " } as const;
const entry = { first: "    ", rest: "        " } as const;
const note = { first: "        ", rest: "        " } as const;

/** The most mistakes that are printed; `sluice check` prints all. */
const fewIdle = 12;

function sums(found: Assessment, { paint, width }: Layout): string {
  const lines = sumsOf(found).map((sum, at) => {
    const total = totalOf(sum);
    const { same, differs, work } = sum;
    const numbers = `${String(total).padStart(6)} ${pluralOf(sum, total).padEnd(15)} ${String(same).padStart(5)} the same ${String(differs).padStart(5)} differ ${String(work).padStart(5)} need work`;
    const rest = at === 0 ? leftOutText(found) : "";
    if (numbers.length + rest.length <= width || rest === "") return `${numbers}${rest}\n`;
    return `${numbers},\n${wrapped(rest.slice(2), { first: "       ", rest: "       " }, width)}`;
  });
  const all = lines.join("");
  return found.ingresses.work === 0 && found.unjudged.length === 0 ? paint.good(all) : all;
}

function section(title: string, chapters: readonly Chapter[], paint: (text: string) => string, width: number): string {
  if (chapters.length === 0) return "";
  const parts = chapters.map(({ title: kind, groups }) => {
    const entries = groups.map(
      (group) => `${wrapped(group.title, entry, width)}${group.notes.map((one) => wrapped(one, note, width)).join("")}`,
    );
    return `  ${kind}\n${entries.join("")}`;
  });
  return `\n${paint(title)}\n${parts.join("")}`;
}

function list(
  title: string,
  lines: readonly string[],
  paint: (text: string) => string,
  { all, width }: Layout,
  few: number,
): string {
  if (lines.length === 0) return "";
  const shownLines = all ? lines : lines.slice(0, few);
  const more = lines.length > shownLines.length ? `  and ${lines.length - shownLines.length} more: see --all\n` : "";
  return `\n${paint(title)}\n${shownLines.map((line) => wrapped(line, listed, width)).join("")}${more}`;
}

function same({ items }: Assessment, { paint, width }: Layout): string {
  const lines = sameNames(items).map(([noun, names]) => wrapped(`${noun}: ${names.join(", ")}`, listed, width));
  return lines.length === 0 ? "" : `\n${paint.good("The same")}\n${lines.join("")}`;
}
