/** The report as text, one page: the sums first, then what needs work, what differs and how, what is the same, what is wrong already. */
import { counted } from "../tools/words.ts";
import type { Assessment } from "./assess.ts";
import { type Item, type Verdict, worst } from "./item.ts";

export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
}

/** `about` says what was looked at. */
export function reportText(found: Assessment, about: string, paint: Paint): string {
  const { items, everybody } = found;
  return [
    `${about}\n`,
    sums(found, paint),
    section("Needs work", groups(items, "work"), paint.bad),
    section("Differs", groups(items, "differs"), paint.warn),
    same(items, paint),
    idle(items),
    `\nFor everybody there are ${everybody.length} small differences, such as: ${everybody[0]}. docs/differences.md has them all, with reasons.\n`,
  ].join("");
}

function sums({ items, ingresses, notOurs }: Assessment, paint: Paint): string {
  const kinds = (["annotation", "key", "flag", "value"] as const).flatMap((what) => {
    const verdicts = [
      ...Map.groupBy(
        items.filter((item) => item.what === what),
        ({ name }) => name,
      ).values(),
    ];
    if (verdicts.length === 0) return [];
    const count = (verdict: Verdict) =>
      verdicts.filter((some) => worst(some.map((one) => one.verdict)) === verdict).length;
    return [line(nouns[what], { same: count("same"), differs: count("differs"), work: count("work") })];
  });
  const others = notOurs === 0 ? "" : `, ${notOurs} of another class left out`;
  const all = [line("Ingress", ingresses, others), ...kinds].join("");
  return ingresses.work === 0 ? paint.good(all) : all;
}

const nouns = {
  annotation: "annotation",
  key: "ConfigMap key",
  flag: "flag",
  value: "chart value",
  object: "",
} as const;

function line(noun: string, { same, differs, work }: Assessment["ingresses"], rest = ""): string {
  const total = same + differs + work;
  const plural = `${noun}${total === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;
  return `${String(total).padStart(6)} ${plural.padEnd(15)} ${String(same).padStart(5)} the same ${String(differs).padStart(5)} differ ${String(work).padStart(5)} need work${rest}\n`;
}

interface Group {
  readonly title: string;
  readonly notes: readonly string[];
}

/** One entry for all that meet the same. */
function groups(items: readonly Item[], verdict: Verdict): readonly Group[] {
  const some = items.filter((item) => item.verdict === verdict);
  return [...Map.groupBy(some, ({ what, name, notes }) => JSON.stringify([what, name, notes])).values()]
    .map((members) => ({ title: titleOf(members), notes: members[0]!.notes, size: members.length }))
    .sort((a, b) => b.size - a.size || (a.title < b.title ? -1 : 1));
}

function titleOf(members: readonly Item[]): string {
  const { what, name, of, at } = members[0]!;
  const word =
    what === "key" ? `key ${name}` : what === "flag" ? `--${name}` : what === "object" ? "" : `${what} ${name}`;
  const place = at === undefined ? "" : ` (${at.file}:${at.line}:${at.column})`;
  if (members.length === 1)
    return what === "value" ? `${word}${place}` : `${[word, of].filter(Boolean).join(", ")}${place}`;
  const names = members.slice(0, 3).map((item) => item.of.replace(/^\w+ /, ""));
  const more = members.length > 3 ? ` and ${members.length - 3} more` : "";
  return `${[word, `${members.length} Ingresses: ${names.join(" ")}${more}`].filter(Boolean).join(", ")}`;
}

function section(title: string, some: readonly Group[], paint: (text: string) => string): string {
  if (some.length === 0) return "";
  const entries = some.map((group) => `  ${group.title}\n${group.notes.map((note) => `      ${note}\n`).join("")}`);
  return `\n${paint(title)}\n${entries.join("")}`;
}

function same(items: readonly Item[], paint: Paint): string {
  const lines = (["annotation", "key", "flag", "value"] as const).flatMap((what) => {
    const by = Map.groupBy(
      items.filter((item) => item.what === what && item.idle.length === 0),
      ({ name }) => name,
    );
    const good = [...by].filter(([, members]) => members.every(({ verdict }) => verdict === "same"));
    const names = good
      .sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
      .map(([name, { length }]) => (length === 1 ? name : `${name} (${length})`));
    return names.length === 0 ? [] : [wrapped(`  ${nouns[what]}s: ${names.join(", ")}`)];
  });
  return lines.length === 0 ? "" : `\n${paint.good("The same")}\n${lines.join("")}`;
}

/** Enough to see what it is about; `sluice check` has all of it. */
const shownIdle = 12;

function idle(items: readonly Item[]): string {
  const all = items.flatMap((item) => item.idle.map((sentence) => ({ item, sentence })));
  if (all.length === 0) return "";
  const by = [...Map.groupBy(all, ({ sentence }) => sentence)];
  const lines = by.slice(0, shownIdle).map(([sentence, members]) => {
    const [{ item }] = members as [(typeof members)[number]];
    const place = item.at === undefined ? "" : ` (${item.at.file}:${item.at.line}:${item.at.column})`;
    return `  ${item.of}${members.length === 1 ? place : ` and ${members.length - 1} more`}: ${sentence}\n`;
  });
  const more = by.length > shownIdle ? `  and ${counted(by.length - shownIdle, "more")}: see sluice check\n` : "";
  return `\nWrong or without effect already, in ingress-nginx as here\n${lines.join("")}${more}`;
}

function wrapped(text: string): string {
  const lines = ["  "];
  for (const word of text.trim().split(" ")) {
    const last = lines.at(-1)!;
    if (last.trim() !== "" && last.length + word.length > 118) lines.push(`      ${word}`);
    else lines[lines.length - 1] = last.trim() === "" ? `${last}${word}` : `${last} ${word}`;
  }
  return `${lines.join("\n")}\n`;
}
