/**
 * Finds annotations, ConfigMap keys and values of ingress-nginx in any text: a template, Terraform,
 * a script. Each has its whole value: a quoted text, a block of YAML, a heredoc, or the rest of the
 * line. The language around it does not matter.
 */

import { settingList } from "../../core/settings/registry.ts";
import type { Place } from "../../edges/folder/place.ts";

export interface WrittenKey {
  /** `value` is a path of the chart's values, such as `controller.config.hsts`. */
  readonly of: "annotation" | "key" | "value";
  /** Without the prefix of the annotations. */
  readonly name: string;
  readonly text: string;
  readonly place: Place;
}

const settings = settingList.map(([, { key }]) => key).filter((key) => key.includes("-"));
const keys = settings.sort((a, b) => b.length - a.length).join("|");

/** Marks of templates, which become `${…}`; lines that have nothing else become empty. */
const mark = String.raw`(?:\{\{[\s\S]*?\}\}|<%[\s\S]*?%>|\{%[\s\S]*?%\}|%\{[^}\n]*\}|\[\[-? *\.[^\]]*\]\])`;
const wholeLine = new RegExp(String.raw`^[ \t]*(?:${mark}[ \t]*)+$`, "gm");
const inline = new RegExp(mark, "g");

/** Returns a template as text that may be YAML, with the same lines. */
export function withoutMarks(text: string): string {
  if (!/\{\{|<%|\{%|%\{|\[\[/.test(text)) return text;
  const breaks = (part: string) => part.replace(/[^\n]/g, "");
  return text
    .replace(wholeLine, breaks)
    .replace(inline, (part) => `\${${part.replace(/[^\w.]+/g, " ").trim()}}${breaks(part)}`);
}

/** Finds keys in a text without marks. ConfigMap keys count only where ingress-nginx is named. */
export function keysIn(text: string, prefix: string, isAbout: boolean): readonly WrittenKey[] {
  const dots = prefix.replaceAll(".", String.raw`\\{0,2}\.`);
  const pattern = new RegExp(
    [
      String.raw`${dots}(?:\/|~1)(?<annotation>[a-z][\w-]*)`,
      String.raw`(?<![\w.-])(?<value>controller(?:\.[\w-]+)+)`,
      ...(isAbout ? [String.raw`(?<=^[ \t]*(?:- )?["']?)(?<key>${keys})(?![\w-])`] : []),
    ]
      .map((one) => `(?:${one})`)
      .join("|")
      .replace(/^(.*)$/s, String.raw`(?:$1)["'\\]*\]?[ \t]*(?:=>|[:=]|,?\s*["']?value["']?[ \t]*[:=])[ \t]*`),
    "gm",
  );
  const found: WrittenKey[] = [];
  let line = 1;
  let counted = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = text.lastIndexOf("\n", match.index - 1) + 1;
    if (/^\s*(#|\/\/)/.test(text.slice(start, match.index))) continue;
    line += text.slice(counted, match.index).split("\n").length - 1;
    counted = match.index;
    const read = valueAt(text, start, match.index + match[0].length);
    pattern.lastIndex = Math.max(read.end, match.index + match[0].length);
    const [of, name] = Object.entries(match.groups!).find(([, one]) => one !== undefined) as [WrittenKey["of"], string];
    found.push({ of, name, text: read.text, place: { line, column: match.index - start + 1 } });
  }
  return found;
}

/** Reads the value at an index. `start` is where the line of its key begins. */
function valueAt(text: string, start: number, index: number): { readonly text: string; readonly end: number } {
  const from = text.slice(index, index + longest);
  const [heredoc, , quotes, body] = /^<<[-~]?[ \t]*(["']?)(\w+)\1[^\n]*\n([\s\S]*?)^[ \t]*\2\b/m.exec(from) ?? [];
  if (heredoc !== undefined && quotes !== undefined) return { text: outdented(body!), end: index + heredoc.length };
  const [block, style] = /^([|>])[-+\d]*[ \t]*(?:#[^\n]*)?(?=\r?\n)/.exec(from) ?? [];
  if (block !== undefined) {
    const indent = /^[ \t]*(?:- )?/.exec(text.slice(start, index))![0].length;
    const [lines] = new RegExp(`^(?:\\r?\\n(?:[ \\t]{${indent + 1},}[^\\n]*|[ \\t]*(?=\\r?\\n)))*`).exec(
      from.slice(block.length),
    )!;
    const inside = outdented(lines.replace(/^\r?\n/, ""));
    return { text: style === "|" ? inside : inside.replace(/\n(?!$)/g, " "), end: index + block.length + lines.length };
  }
  const [quoted, , long, , double, single] =
    /^(?:("""|'''|`)([\s\S]*?)\1|("((?:[^"\\]|\\[\s\S])*)")|'((?:[^']|'')*)')/.exec(from) ?? [];
  if (quoted !== undefined) {
    const plain =
      long ?? single?.replaceAll("''", "'") ?? double!.replace(/\\([\s\S])/g, (_, one) => escapes[one] ?? one);
    return { text: plain, end: index + quoted.length };
  }
  // `--set key=value` ends at a blank, or at the next key after a comma.
  const [rest] = (text[index - 1] === "=" ? /^(?:(?!,controller\.)\S)*/ : /^[^\n]*/).exec(from)!;
  const value = rest.replace(/\s+#.*$/, "").replace(/(?<!\$\{[^}]*)[\s,;})\]\\"']+$/, "");
  return { text: value, end: index + value.length };
}

const longest = 65_536;
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

const outdented = (text: string): string => text.replace(new RegExp(`^[ \\t]{${indentOf(text)}}`, "gm"), "");

function indentOf(text: string): number {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Math.min(...lines.map((line) => line.length - line.trimStart().length), 80);
}

export interface Heredoc {
  /** The number of lines above its first one. */
  readonly above: number;
  /** The blanks that each line has lost. */
  readonly indent: number;
  readonly text: string;
}

/** Returns the heredocs and long quoted texts of a file, which may hold YAML. */
export function heredocsIn(text: string): readonly Heredoc[] {
  const all = text.matchAll(/<<[-~]?[ \t]*["']?(\w+)["']?[^\n]*\n([\s\S]*?)^[ \t]*\1\b|("""|'''|`)([\s\S]*?)\3/gm);
  let above = 0;
  let counted = 0;
  return [...all].map(({ index, 0: whole, 2: body, 4: quoted }) => {
    const inside = body ?? quoted!;
    const at = index + whole.indexOf(inside, body === undefined ? 1 : whole.indexOf("\n"));
    above += text.slice(counted, at).split("\n").length - 1;
    counted = at;
    return { above, indent: indentOf(inside), text: outdented(inside) };
  });
}
