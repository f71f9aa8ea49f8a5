/**
 * Groups the Items for the report: by kind, worst first, with one entry for all Items that have the
 * same difference.
 */
import { firstOf } from "../../tools/words.ts";
import type { Assessment } from "./assess.ts";
import { type Item, type Verdict, worst } from "./item.ts";
import type { Unjudged } from "./unjudged.ts";

export interface Group {
  readonly title: string;
  readonly notes: readonly string[];
}

/** The groups of one kind of thing. */
export interface Chapter {
  readonly title: string;
  readonly groups: readonly Group[];
}

export const nouns = {
  annotation: "annotation",
  key: "ConfigMap key",
  flag: "flag",
  value: "chart value",
} as const;

const chapters = {
  annotation: "Annotations",
  object: "Ingresses",
  key: "ConfigMap keys",
  flag: "Flags",
  value: "Chart values",
} as const;

/** A part of the report. */
export interface Section {
  readonly title: string;
  readonly chapters: readonly Chapter[];
  readonly lines: readonly string[];
  readonly tone?: "good" | "bad" | "warn";
  /** The most lines on one page; undefined if all are needed. */
  readonly few?: number;
}

/** The most mistakes that are printed; `sluice check` prints all. */
const fewIdle = 12;

/** Returns the parts of a report that have something to say. */
export function sectionsOf(found: Assessment, all: boolean): readonly Section[] {
  const { items } = found;
  const same = sameNames(items).map(([noun, names]) => `${noun}: ${names.join(", ")}`);
  const sections: readonly Section[] = [
    { title: "Needs work", chapters: chaptersOf(items, "work", all), lines: [], tone: "bad" },
    { title: "Not judged", chapters: [], lines: unjudgedLines(found, all), tone: "bad" },
    { title: "Differs", chapters: chaptersOf(items, "differs", all), lines: [], tone: "warn" },
    { title: "The same", chapters: [], lines: same, tone: "good" },
    {
      title: "Wrong or without effect already, in ingress-nginx as here",
      ...{ chapters: [], lines: idleLines(items), few: fewIdle },
    },
    { title: "For every cluster", chapters: [], lines: all ? found.everybody : [] },
  ];
  return sections.filter(({ chapters, lines }) => chapters.length + lines.length > 0);
}

/** The number of Ingresses that an entry names, unless the user requests all. */
const few = 3;

function chaptersOf(items: readonly Item[], verdict: Verdict, all: boolean): readonly Chapter[] {
  const some = items.filter((item) => item.verdict === verdict);
  return (Object.keys(chapters) as (keyof typeof chapters)[]).flatMap((what) => {
    const groups = groupsOf(
      some.filter((item) => item.what === what),
      all,
    );
    return groups.length === 0 ? [] : [{ title: chapters[what], groups }];
  });
}

function groupsOf(items: readonly Item[], all: boolean): readonly Group[] {
  return [...Map.groupBy(items, ({ what, name, notes }) => JSON.stringify([what, name, notes])).values()]
    .map((members) => ({ title: titleOf(members, all), notes: members[0]!.notes, size: members.length }))
    .sort((a, b) => b.size - a.size || (a.title < b.title ? -1 : 1));
}

function titleOf(members: readonly Item[], all: boolean): string {
  const { what, name, of, at } = members[0]!;
  const word =
    what === "key" ? `key ${name}` : what === "flag" ? `--${name}` : what === "object" ? "" : `${what} ${name}`;
  const place = at === undefined ? "" : ` (${at.file}:${at.line}:${at.column})`;
  if (members.length === 1)
    return what === "value" && of === "values" ? `${word}${place}` : `${[word, of].filter(Boolean).join(", ")}${place}`;
  const names = [...new Set(distinctNames(members))];
  // Several releases may have one value in common.
  if (names.length === 1) return `${word} (${names[0]})`;
  const shown = firstOf(names, all ? names.length : few, " ");
  const noun = what === "annotation" || what === "object" ? "Ingresses" : "places";
  return [word, `${names.length} ${noun}: ${shown}`].filter(Boolean).join(", ");
}

/** Returns the objects of these Items, or their places if several have one name or none. */
function distinctNames(members: readonly Item[]): readonly string[] {
  const names = members.map((item) => item.of.replace(/^\w+ /, ""));
  if (new Set(names).size === names.length) return names;
  return members.map(({ at }, number) => (at === undefined ? names[number]! : `${at.file}:${at.line}:${at.column}`));
}

export interface Sum {
  readonly noun: string;
  readonly same: number;
  readonly differs: number;
  readonly work: number;
}

/** Returns one line for the Ingresses, and one for each kind of thing in use. */
export function sumsOf({ items, ingresses }: Assessment): readonly Sum[] {
  const kinds = (Object.keys(nouns) as (keyof typeof nouns)[]).flatMap((what) => {
    const verdicts = [
      ...Map.groupBy(
        items.filter((item) => item.what === what),
        ({ name }) => name,
      ).values(),
    ];
    if (verdicts.length === 0) return [];
    const count = (verdict: Verdict) =>
      verdicts.filter((some) => worst(some.map((one) => one.verdict)) === verdict).length;
    return [{ noun: nouns[what], same: count("same"), differs: count("differs"), work: count("work") }];
  });
  return [{ noun: "Ingress", ...ingresses }, ...kinds];
}

export const totalOf = ({ same, differs, work }: Sum): number => same + differs + work;

/** Returns `flags` for several things and `Ingress` for one; the caller prints the number. */
export const pluralOf = ({ noun }: Sum, total: number): string =>
  `${noun}${total === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;

/**
 * Returns `, 3 of other classes left out: internal (2), traefik`, or nothing if there are none.
 */
export function leftOutText({ leftOut }: Pick<Assessment, "leftOut">): string {
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return "";
  const names = leftOut.map(
    (one) => `${one.class || "no class"}${one.count > 1 && leftOut.length > 1 ? ` (${one.count})` : ""}`,
  );
  const classes = leftOut.length === 1 ? "another class" : "other classes";
  return `, ${total} of ${classes} left out: ${names.join(", ")}`;
}

/** Returns the names of things that move as they are, each with its noun, the most used first. */
function sameNames(items: readonly Item[]): readonly (readonly [noun: string, names: readonly string[]])[] {
  return (Object.keys(nouns) as (keyof typeof nouns)[]).flatMap((what) => {
    const by = Map.groupBy(
      items.filter((item) => item.what === what && item.idle.length === 0),
      ({ name }) => name,
    );
    const good = [...by].filter(([, members]) => members.every(({ verdict }) => verdict === "same"));
    const names = good
      .sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
      .map(([name, { length }]) => (length === 1 ? name : `${name} (${length})`));
    return names.length === 0 ? [] : [[`${nouns[what]}s`, names] as const];
  });
}

/**
 * Returns mistakes that exist in ingress-nginx as well: each sentence once, with the first object
 * that has the mistake.
 */
function idleLines(items: readonly Item[]): readonly string[] {
  const all = items.flatMap((item) => item.idle.map((sentence) => ({ item, sentence })));
  return [...Map.groupBy(all, ({ sentence }) => sentence)].map(([sentence, members]) => {
    const [{ item }] = members as [(typeof members)[number]];
    const place = item.at === undefined ? "" : ` (${item.at.file}:${item.at.line}:${item.at.column})`;
    return `${item.of}${place}${members.length === 1 ? "" : ` and ${members.length - 1} more`}: ${sentence}`;
  });
}

/**
 * Returns lines such as `Ingress shop/web (shop.yaml:3:1): why`. Hundreds of files may have one
 * reason, such as the templates of charts, and then one line names the first of them.
 */
export function unjudgedLines({ unjudged }: Pick<Assessment, "unjudged">, all: boolean): readonly string[] {
  const groups = Map.groupBy(unjudged, (one) => (one.of === one.at?.file ? one.why : one)).values();
  return [...groups].flatMap((group) => {
    if (all || group.length <= few) return group.map(unjudgedLine);
    const places = group.map(({ at }) => `${at!.file}:${at!.line}:${at!.column}`);
    return [`${group.length} files: ${firstOf(places, few, " ")}: ${group[0]!.why}`];
  });
}

function unjudgedLine({ of, at, why }: Unjudged): string {
  if (at === undefined) return `${of}: ${why}`;
  const place = `${at.file}:${at.line}:${at.column}`;
  return of === at.file ? `${place}: ${why}` : `${of} (${place}): ${why}`;
}
