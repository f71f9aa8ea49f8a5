/**
 * Writes objects as YAML with comments. The `yaml` package can do that as well, but it takes
 * seconds for the objects of some thousand Ingresses, because it makes a node of each value. These
 * values are plain: texts, numbers, booleans, lists and maps.
 */
import { visible } from "../../base/visible.ts";
import type { Comment, Written } from "./written.ts";

type Path = readonly (string | number)[];

export function yamlOf(all: readonly Written[]): string {
  return all.map(knownDocument).join("---\n");
}

const documents = new WeakMap<Written, string>();

/** Keeps the text of each object, because the proof and the output both need it. */
function knownDocument(written: Written): string {
  const known = documents.get(written) ?? documentOf(written);
  documents.set(written, known);
  return known;
}

function documentOf({ object, comments }: Written): string {
  const byPlace = new Map<string, string>();
  for (const { at, text } of comments) byPlace.set(placeOf(at), joined(byPlace.get(placeOf(at)), text));
  const above = byPlace.get("");
  return `${above === undefined ? "" : commentLines(above, "")}${mapLines(object, "", [], byPlace).join("")}`;
}

const joined = (before: string | undefined, text: string): string =>
  before === undefined ? text : `${before}\n${text}`;
const placeOf = (at: Comment["at"]): string => at.join("/");

/** Escapes line breaks, which would end a comment, and direction marks, which would reorder it. */
function commentLines(text: string, indent: string): string {
  return text
    .split("\n")
    .map((line) => `${indent}# ${shown(line)}\n`)
    .join("");
}

function mapLines(map: object, indent: string, path: Path, comments: ReadonlyMap<string, string>): string[] {
  return Object.entries(map)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const at = [...path, key];
      const comment = comments.get(placeOf(at));
      const above = comment === undefined ? "" : commentLines(comment, indent);
      return `${above}${indent}${scalar(key)}:${valueText(value, indent, at, comments)}`;
    });
}

/** Returns the text after the colon of a key, with the end of its line. */
function valueText(value: unknown, indent: string, path: Path, comments: ReadonlyMap<string, string>): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    if (value.every((one) => typeof one !== "object") && !value.some((_, at) => comments.has(placeOf([...path, at]))))
      return ` [${value.map(inList).join(", ")}]\n`;
    return `\n${value.map((one, at) => itemText(one, `${indent}  `, [...path, at], comments)).join("")}`;
  }
  if (typeof value === "object" && value !== null) {
    const lines = mapLines(value, `${indent}  `, path, comments);
    return lines.length === 0 ? " {}\n" : `\n${lines.join("")}`;
  }
  if (typeof value === "string" && ofLines.test(value)) {
    const isEnded = value.endsWith("\n");
    return ` ${isEnded ? "|" : "|-"}\n${value.replace(/^(?=.)/gm, `${indent}  `)}${isEnded ? "" : "\n"}`;
  }
  return ` ${scalar(value)}\n`;
}

/**
 * Lines that need no quoting, such as certificates and snippets. The first line has no indent, and
 * the last one is not empty.
 */
const ofLines = /^[!-~][ -~]*\n(?:(?: *[!-~][ -~]*)?\n)*(?<=[!-~][ -~]*\n)(?: *[!-~][ -~]*)?$/;

function itemText(value: unknown, indent: string, path: Path, comments: ReadonlyMap<string, string>): string {
  const comment = comments.get(placeOf(path));
  const above = comment === undefined ? "" : commentLines(comment, indent);
  if (typeof value !== "object" || value === null) return `${above}${indent}- ${scalar(value)}\n`;
  // A list in a list is written as JSON, which is YAML, too; no object of ours has one.
  if (Array.isArray(value)) return `${above}${indent}- ${quoted(value)}\n`;
  const lines = mapLines(value, `${indent}  `, path, comments).join("");
  if (lines === "") return `${above}${indent}- {}\n`;
  // The dash takes the place of the first line's indent, so a comment on the first key goes above
  // the item.
  const [, heading = "", rest = ""] = /^((?: *#[^\n]*\n)*)(.*)$/s.exec(lines)!;
  const raised = heading.replaceAll(`${indent}  #`, `${indent}#`);
  return `${above}${raised}${indent}- ${rest.slice(indent.length + 2)}`;
}

/** Words that YAML 1.1, which many tools still use, does not read as text. */
const special = /^(?:y|n|yes|no|on|off|true|false|null|~|\.inf|\.nan)$/i;
const plain = /^[A-Za-z/][\w./-]*(?: [\w./-]+)*$/;

function scalar(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return plain.test(value) && !special.test(value) ? value : quoted(value);
}

const inList = (value: unknown): string => scalar(value);

/** Writes JSON, which YAML reads, with escapes for what a reader would not see. */
function quoted(value: unknown): string {
  return shown(JSON.stringify(value));
}

/** Escapes a byte order mark as well, which YAML would drop. */
const shown = (text: string): string => visible(text).replaceAll("\ufeff", "\\ufeff");
