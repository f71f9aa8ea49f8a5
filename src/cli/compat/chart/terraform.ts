/**
 * Reads the values that a Terraform file gives to ingress-nginx's chart as heredocs:
 * `values = [<<EOF … EOF]` of a helm_release or a module. Terraform itself is not evaluated, so
 * everything else that sets values is named as not judged, and a variable in the text is a
 * placeholder.
 */

import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import type { FilePlace } from "../../../core/model/problem.ts";
import type { Path } from "../../../edges/folder/check.ts";
import { readYaml, type YamlDocument } from "../../../edges/folder/yaml.ts";
import type { Unjudged } from "../unjudged.ts";
import { at } from "../value-at.ts";
import { chartOf } from "../vendors.ts";
import { merged } from "./embedded.ts";
import type { ValuesSource } from "./values.ts";

export interface TerraformFile {
  readonly file: string;
  readonly sources: readonly ValuesSource[];
  readonly unjudged: readonly Unjudged[];
}

/** Returns undefined if no heredoc of the file holds values of ingress-nginx's chart. */
export function terraformFile(file: string, text: string): TerraformFile | undefined {
  if ([...text.matchAll(/<<|\/\*/g)].length > mostMarks) return undefined;
  const { plain, heredocs } = withoutHeredocs(text);
  const sources: ValuesSource[] = [];
  const unjudged: Unjudged[] = [];
  const rest: string[] = [];
  let read = 0;
  const lineOf = lineCounter(text);
  const blocks = [...plain.matchAll(/^(?:resource[ \t]+"helm_release"|module)[ \t]+"([^"]*)"[ \t]*\{/gm)];
  for (const [number, block] of blocks.entries()) {
    // Blocks are never nested, so this one ends at the latest where the next one begins.
    const limit = blocks[number + 1]?.index ?? plain.length;
    const [begin, end] = [block.index, endOf(plain, block.index + block[0].length, limit)];
    const own = plain.slice(begin, end);
    if (chartOf(attribute(own, "chart") ?? "", attribute(own, "repository")) !== "ours") continue;
    const inside = heredocs.filter(({ index }) => index > begin && index < end);
    const parts = inside.flatMap((heredoc) => partOf(heredoc));
    if (parts.length === 0 || parts.length < inside.length) continue;
    const of = `helm_release ${block[1]}`;
    sources.push(sourceOf(of, file, parts, own));
    const place = { file, line: lineOf(begin), column: 1 };
    unjudged.push(...elsewhere(own).map((why) => ({ of, at: place, why })));
    rest.push(plain.slice(read, begin));
    read = end;
  }
  rest.push(plain.slice(read));
  if (sources.length === 0) return undefined;
  // Ingresses and other releases of the same file are not read.
  if (/kubernetes_(ingress|manifest|config_map)|kubectl_manifest|"helm_release"/.test(rest.join("")))
    unjudged.push({ of: file, at: { file, line: 1, column: 1 }, why: onlyValues });
  return { file, sources, unjudged };
}

/** Hardly a file has more heredocs and comments. One without an end is sought in the whole rest. */
const mostMarks = 1_000;

const onlyValues =
  "this is Terraform, of which only the values of ingress-nginx's chart are read; read the cluster that it writes (--context)";

interface Heredoc {
  /** Where the mark of its beginning stands in the file. */
  readonly index: number;
  /** The line of its first line, counted from 1. */
  readonly line: number;
  readonly indent: number;
  readonly text: string;
}

/** Returns the file with blanks in place of heredocs and comments, so that all places stay. */
function withoutHeredocs(text: string): { readonly plain: string; readonly heredocs: readonly Heredoc[] } {
  const heredocs: Heredoc[] = [];
  const lineOf = lineCounter(text);
  const blank = (part: string) => part.replace(/[^\n]/g, " ");
  const plain = text.replace(
    /<<-?[ \t]*(\w+)[ \t]*\r?\n([\s\S]*?)^[ \t]*\1\b|\/\*[\s\S]*?\*\/|^[ \t]*(?:#|\/\/).*$/gm,
    (whole, _mark: string | undefined, content: string | undefined, index: number) => {
      if (content === undefined) return blank(whole);
      const lines = content.split("\n").filter((line) => line.trim() !== "");
      const indent = Math.min(...lines.map((line) => line.length - line.trimStart().length), 40);
      const line = lineOf(index) + 1;
      heredocs.push({ index, line, indent, text: content.replace(new RegExp(`^ {${indent}}`, "gm"), "") });
      return blank(whole);
    },
  );
  return { plain, heredocs };
}

/** Returns a function for the lines of rising places, counted from 1. */
function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let counted = 0;
  return (index) => {
    line += text.slice(counted, index).split("\n").length - 1;
    counted = index;
    return line;
  };
}

/** Returns where the block ends whose inside begins here, at the latest at the limit. */
function endOf(text: string, inside: number, limit: number): number {
  let depth = 1;
  let isQuoted = false;
  for (let index = inside; index < limit; index += 1) {
    const letter = text[index];
    if (letter === "\\") index += 1;
    else if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && letter === "{") depth += 1;
    else if (!isQuoted && letter === "}") depth -= 1;
    if (depth === 0) return index + 1;
  }
  return limit;
}

const attribute = (block: string, name: string): string | undefined =>
  new RegExp(`^[ \\t]*${name}[ \\t]*=[ \\t]*"([^"$]*)"`, "m").exec(block)?.[1];

interface ReadPart {
  readonly value: Mapping;
  readonly document: YamlDocument;
  readonly heredoc: Heredoc;
}

/** Returns nothing for a text with directives of a template, which is no YAML yet. */
function partOf(heredoc: Heredoc): readonly ReadPart[] {
  const yaml = readYaml(heredoc.text);
  const document = yaml.ok ? yaml.documents[0] : undefined;
  return document !== undefined && isMapping(document.value) ? [{ value: document.value, document, heredoc }] : [];
}

function sourceOf(of: string, file: string, parts: readonly ReadPart[], block: string): ValuesSource {
  const content = parts.reduce<unknown>((below, { value }) => merged(below, value), {}) as Mapping;
  const placeOf = (path: Path): FilePlace => {
    const holder = parts.findLast(({ value }) => at(value, ...path.map(String)) !== undefined) ?? parts[0]!;
    const { line, column } = holder.document.placeOf(path);
    return { file, line: line + holder.heredoc.line - 1, column: column + holder.heredoc.indent };
  };
  const release = attribute(block, "name") ?? "ingress-nginx";
  const name = `${release.includes("ingress-nginx") ? release : `${release}-ingress-nginx`}-controller`;
  return {
    of,
    file,
    content,
    placeOf,
    home: { namespace: attribute(block, "namespace") ?? "ingress-nginx", name },
    others: [],
  };
}

/** Completes sentences about what else sets values in the block. */
function elsewhere(block: string): readonly string[] {
  const list = /^[ \t]*values[ \t]*=[ \t]*\[([^\]]*)\]/m.exec(block)?.[1] ?? "";
  const others = list.split(",").map((item) => item.trim().replace(/\s+/g, " "));
  return [
    ...others.filter((item) => item !== "").map((item) => `its values from ${item} are not read`),
    ...(/^[ \t]*(dynamic[ \t]+"set|set(_list|_sensitive)?[ \t]*(=|\{))/m.test(block)
      ? ["its values from set are not read"]
      : []),
  ];
}
