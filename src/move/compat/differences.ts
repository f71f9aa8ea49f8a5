/**
 * Reads docs/differences.md as data. Each heading is a difference from ingress-nginx, and the line
 * `concerns:` below it (or `needs work:`, with what to do) says which clusters have it. So the page
 * and `sluice compat` always agree.
 */
import { readFileSync } from "node:fs";
import { shipped } from "../../base/shipped.ts";

const page = shipped("docs/differences.md");

export interface Difference {
  /** The heading as plain text, and the sentence that begins with "Here", if there is one. */
  readonly how: string;
  readonly chapter: string;
  /** A cluster may have the difference if one of these fits. An empty list fits every cluster. */
  readonly concerns: readonly Concern[];
  /** The work that the difference causes; absent if there is none. */
  readonly work?: string;
}

/** `key use-proxy-protocol=true with key use-forwarded-headers=true`: all parts must be present. */
export interface Concern {
  /** The part that the report names. */
  readonly about: Part;
  readonly besides: readonly (Part & { readonly absent: boolean })[];
}

export interface Part {
  readonly of: "annotation" | "key" | "flag" | "shape";
  /** A `*` in it stands for any text. */
  readonly name: string;
  /** If it is undefined, any value fits. */
  readonly value?: string;
  readonly only?: "unreadable" | "limited" | "naming other variables";
}

export interface Differences {
  readonly list: readonly Difference[];
  /** Settings that have no effect in ingress-nginx either. */
  readonly idleThere: readonly Part[];
}

export function readDifferences(): Differences {
  return differencesIn(readFileSync(page, "utf8"));
}

/**
 * Throws if the page does not have this form: that is a mistake of the page and not of a user.
 */
export function differencesIn(text: string): Differences {
  const idleThere: Part[] = [];
  const list = text.split(/^## /m).flatMap((chapterText) => {
    const [chapter = "", ...sections] = chapterText.split(/^### /m);
    return sections.flatMap((section): Difference[] => {
      const heading = section.slice(0, section.indexOf("\n"));
      const [, here] = /(?<=^|\.\s)Here,?\s((?:[^.]|\.(?!\s))+)\./.exec(section) ?? [];
      const how = plain(here === undefined ? heading : `${heading}: here ${here.replace(/\s+/g, " ")}`);
      const [, kind, rest = ""] = /^(concerns|needs work|the same there): (.+)$/m.exec(section) ?? [];
      if (kind === undefined)
        throw new TypeError(`docs/differences.md: "${heading}" lacks a line \`concerns:\`, which says who meets it`);
      if (kind === "the same there") {
        idleThere.push(...rest.split(", ").map(partOf));
        return [];
      }
      const [who = "", ...work] = kind === "concerns" ? [rest] : rest.split(": ");
      const concerns = who.split(", ").flatMap((item) => (item === "everybody" ? [] : [concernOf(item)]));
      const advice = work.length === 0 ? {} : { work: plain(work.join(": ")) };
      return [{ how, chapter: chapter.split("\n")[0]!.trim(), concerns, ...advice }];
    });
  });
  return { list, idleThere };
}

function concernOf(item: string): Concern {
  const [about = "", ...others] = item.split(/ (?=with(?:out)? )/);
  const besides = others.map((other) => {
    const [word = "", ...rest] = other.split(" ");
    return { ...partOf(rest.join(" ")), absent: word === "without" };
  });
  return { about: partOf(about), besides };
}

/** Properties of an Ingress that are not a single text; `uses.ts` finds them. */
const shapes = new Set([
  "path of alternatives",
  "wildcard host",
  "hostless rule",
  "externalName of an IP address",
  "path that is not a regular expression",
]);

function partOf(text: string): Part {
  const [, of, name = "", only, value] =
    /^(annotation|key|flag) ([^ =]+)(?: (unreadable|limited|naming other variables)|=(.*))?$/.exec(text) ?? [];
  if (of === undefined && !shapes.has(text)) throw new TypeError(`docs/differences.md: no cluster can meet "${text}"`);
  if (of === undefined) return { of: "shape", name: text };
  return {
    of: of as Part["of"],
    name,
    ...(value === undefined ? {} : { value }),
    ...(only === undefined ? {} : { only: only as NonNullable<Part["only"]> }),
  };
}

const plain = (text: string): string => text.replaceAll("`", "");

const patterns = new Map<string, RegExp>();

/**
 * Whether `text` matches `pattern`, in which `*` stands for any text and `true` for all its
 * spellings.
 */
export function fits(pattern: string, text: string): boolean {
  if (!pattern.includes("*") && pattern !== "true") return pattern.toLowerCase() === text.toLowerCase();
  const known = patterns.get(pattern) ?? (pattern === "true" ? /^(1|t|true)$/i : glob(pattern));
  patterns.set(pattern, known);
  return known.test(text);
}

function glob(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "is");
}
