/**
 * Explains mistakes in YAML by their cause. A parser reports where it could not go on, but the
 * cause is often elsewhere: an unfinished merge, a template that was not rendered, a line with too
 * much indentation.
 */
import type { Document, YAMLError } from "yaml";
import type { Place } from "../place.ts";
import { misfit } from "./indentation.ts";
import type { Mistake } from "./mistake.ts";
import { howToRender } from "./template-tools.ts";

type Yaml = typeof import("yaml");

/** Explains an error of the parser. `at` is the place where the parser stopped. */
export function explained(text: string, error: YAMLError, at: Place): Mistake {
  const { code } = error;
  if (code === "BAD_INDENT" && error.message.startsWith("Flow"))
    return {
      place: at,
      why: "a bracket or brace above is not closed, or its content is not indented further",
    };
  const lines = text.split("\n").map(short);
  return (
    unfinishedMerge(lines) ??
    template(lines, at) ??
    placeholder(lines, at) ??
    bracketed(lines, at) ??
    openQuote(lines, error) ??
    strayMark(lines, at) ??
    (indented.has(code) ? misfit(lines, at) : undefined) ?? {
      place: at,
      why: words[code] ?? `the YAML is broken (${code})`,
    }
  );
}

/**
 * Returns the beginning of a line, because in a long line the search for the mistake would take
 * more than linear time.
 */
const short = (line: string): string => line.slice(0, 1000);

const indented = new Set<YAMLError["code"]>([
  "BAD_INDENT",
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "MISSING_CHAR",
  "MULTILINE_IMPLICIT_KEY",
  "UNEXPECTED_TOKEN",
]);

function unfinishedMerge(lines: readonly string[]): Mistake | undefined {
  const line = lines.findIndex((one) => /^(<{7}|>{7}|\|{7})( |$)|^={7}$/.test(one.trimEnd()));
  if (line < 0) return undefined;
  const mark = lines[line]!.slice(0, 7);
  return {
    place: { line: line + 1, column: 1 },
    why: `a merge was not finished: the line begins with ${mark}; keep one of the two sides and remove the markers`,
  };
}

/** The marks of Helm, Jinja, Terraform, gomplate, ERB and FreeMarker. */
const braces =
  /\{\{|\{%|%\{(?=~? *(if|else|endif|for|endfor)\b)|\[\[(?=-? *(\.|if |range |with |end))|<%|<\/?#(?=(if|else|list|assign|macro|include)\b)/;

/**
 * A quoted value that ends inside the marks of Helm: `name: "{{ include "web.name" . }}"`, or
 * `summary: "Volume {{ "{{" }}$labels.volume }}"` of an alert.
 */
const quotedInside = /^[^"]*"[^"]*\{\{-?\s*((include|template|tpl|\.|\$\.)[^}"]*)?"/;

/** Finds the first line with a mark of a template, up to this place. */
function template(lines: readonly string[], { line }: Place): Mistake | undefined {
  const isTemplate = (one: string): boolean =>
    (braces.test(one.replace(/(^|\s)#.*$/, "")) && !/^\s*-?\s*[\w.-]+:\s*["'|>]/.test(one)) || quotedInside.test(one);
  const found = lines.slice(0, line + 1).findIndex(isTemplate);
  if (found < 0) return undefined;
  const [mark] = braces.exec(lines[found]!)!;
  return templateAt({ line: found + 1, column: lines[found]!.indexOf(mark) + 1 }, lines, mark);
}

/** Finds a line near this place that only has a word in the marks of a placeholder. */
function placeholder(lines: readonly string[], { line }: Place): Mistake | undefined {
  for (const number of [line, line + 1, line - 1]) {
    const [, blanks = "", mark] =
      /^(\s*)(<[A-Za-z][\w -]*>|\$\{[A-Za-z_]\w*\}|@@?\w+@@?|__\w+__)\s*$/.exec(lines[number - 1] ?? "") ?? [];
    if (mark !== undefined)
      return {
        place: { line: number, column: blanks.length + 1 },
        why: `${mark} is in the place of a key and its value; fill it in, or check the output of the tool that does so`,
      };
  }
  return undefined;
}

/**
 * Finds a value near this place that begins with a brace or bracket and goes on behind its end,
 * such as `{NAME}.example.com`. The parser complains only about what follows.
 */
function bracketed(lines: readonly string[], { line }: Place): Mistake | undefined {
  const before = lines.slice(0, line - 1).findLastIndex((one) => /^\s*[^\s#]/.test(one)) + 1;
  for (const number of [line, before]) {
    const [, blanks = "", mark] =
      /^(\s*(?:- +)*(?:[\w./-]+:\s+)?)(\{[^{}]*\}|\[[^[\]]*\])[^\s:,\]}]/.exec(lines[number - 1] ?? "") ?? [];
    if (mark === undefined) continue;
    const why = /^.[A-Za-z_][\w-]*.$/.test(mark)
      ? `${mark} is a placeholder that nothing has filled in; fill it in, or check the output of the tool that does so`
      : `a value that begins with ${mark[0]} ends with ${mark.at(-1)}, and here more follows; put the whole value in quotes`;
    return { place: { line: number, column: blanks.length + 1 }, why };
  }
  return undefined;
}

function templateAt(place: Place, lines: readonly string[], mark = "{{"): Mistake {
  const how = howToRender(lines, mark);
  return { place, why: `this is a template and not YAML yet, because it contains ${mark}; ${how}` };
}

/** Finds a comma or semicolon behind a value in quotes, as JSON and nginx write it. */
function strayMark(lines: readonly string[], { line }: Place): Mistake | undefined {
  const [, before = "", mark] =
    /^(\s*(?:- +)*(?:[\w./-]+:\s+)?(?:"[^"]*"|'[^']*')\s*)([,;])\s*$/.exec(lines[line - 1] ?? "") ?? [];
  if (mark === undefined) return undefined;
  const what = mark === "," ? "a comma" : "a semicolon";
  const why = `${what} stands behind the closing quote, where nothing may follow`;
  return { place: { line, column: before.length + 1 }, why };
}

/**
 * Finds the place of a quote that is never closed, or on a line without indentation, where the
 * parser does not look for it. The parser stops only at the end of the file.
 */
function openQuote(lines: readonly string[], { code }: YAMLError): Mistake | undefined {
  if (code !== "MISSING_CHAR") return undefined;
  const opened = (line: string): number => /(?:[:[{,-]|^)\s*(["'])(?!.*\1)/.exec(line)?.index ?? -1;
  const found = lines.findIndex((line) => opened(line) >= 0);
  if (found < 0) return undefined;
  const at = lines[found]!.slice(opened(lines[found]!)).search(/["']/) + opened(lines[found]!);
  const place = { line: found + 1, column: at + 1 };
  const quote = lines[found]![at]!;
  const next = lines.findIndex((line, index) => index > found && line.includes(quote));
  if (!/^[^:"']*["']\s*$/.test(lines[next] ?? ""))
    return { place, why: "the quote that is opened here is never closed" };
  const why = `the quote that is opened here is closed in line ${next + 1}; indent the lines up to there, or write the value in one line`;
  return { place, why };
}

/**
 * Finds constructs that no manifest uses on purpose: a mapping as a key, which is what braces of a
 * template are in YAML, and an alias without its anchor.
 */
export function unmeant(
  yaml: Yaml,
  document: Document,
  text: string,
  placeAt: (offset: number) => Place,
): Mistake | undefined {
  let found: Mistake | undefined;
  const anchors = new Set<string>();
  yaml.visit(document as Document.Parsed, {
    Pair(_, { key }) {
      if (!yaml.isCollection(key)) return undefined;
      found = templateAt(placeAt(key.range?.[0] ?? 0), text.split("\n").map(short));
      return yaml.visit.BREAK;
    },
    Node(_, node) {
      if (!yaml.isAlias(node)) {
        if ("anchor" in node && node.anchor !== undefined) anchors.add(node.anchor);
        return undefined;
      }
      if (anchors.has(node.source)) return undefined;
      found = { place: placeAt(node.range?.[0] ?? 0), why: aliasWords(node.source) };
      return yaml.visit.BREAK;
    },
  });
  return found;
}

/**
 * Describes an alias without its anchor. Only a host name is repeated, because other text that
 * begins with `*` may be a secret.
 */
function aliasWords(source: string): string {
  const host = /^\.[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(source);
  const quoted = host ? `: "*${source}"` : "";
  return `text that begins with * refers to an anchor, and no anchor has this name; put it in quotes${quoted}`;
}

/**
 * Own sentences for errors whose library message repeats the file's text, which may be a secret.
 */
const words: Partial<Record<YAMLError["code"], string>> = {
  BAD_ALIAS: "an alias (*) names no anchor; text that begins with * must be in quotes",
  BAD_DQ_ESCAPE: "a \\ in double quotes is followed by a character that it cannot escape",
  BAD_INDENT: "the indentation does not fit what stands above",
  BAD_SCALAR_START: "text may not begin with this character; write it in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a key with a colon is in a place where only a value can be; put text with a colon in quotes",
  MISSING_CHAR: "a closing quote, bracket or colon is missing",
  MULTILINE_IMPLICIT_KEY: "a key goes over several lines; is a colon or a quote missing?",
  TAB_AS_INDENT: "a tab is used for indentation, where YAML takes only spaces",
  TAG_RESOLVE_FAILED: "the tag (!) does not fit its value",
  UNEXPECTED_TOKEN: "this is not allowed here; is the indentation right?",
};
