/**
 * Keeps headers of answers in blocks inside the snippet of a location. nginx drops added headers
 * where an `if` or a location has an add_header of its own, and a location that answers by `return`
 * is not known to be that of an Ingress. ingress-nginx sets Strict-Transport-Security at the end,
 * for whatever answers there (RS-11.5), and custom-headers with a directive that blocks inherit.
 */
import type { AnswerHeader } from "../directives/place.ts";
import { parse, type Statement } from "../kinds/grammar.ts";
import { longestText } from "../kinds/kind.ts";
import { type Insertion, withInsertions } from "./insertions.ts";

/** The most characters that are added for the headers of a location. */
const mostAdded = longestText;

/** Returns the text with lines of Sluice in its blocks. `headers` are those of the location. */
export function withNestedBlocks(text: string, headers: readonly AnswerHeader[] = []): string {
  return nestedBlocks(text)(headers);
}

/**
 * Reads a text that many locations have. The result writes it for a location with these headers.
 * Line numbers do not change. Headers that would make the text grow too much are left out.
 */
export function nestedBlocks(text: string): (headers: readonly AnswerHeader[]) => string {
  const parsed = text.includes("{") ? parse(text) : undefined;
  if (!parsed?.ok) return () => text;
  const { statements } = parsed;
  const written = (lines: Lines) =>
    withInsertions(
      text,
      statements.flatMap((one) => insertionsIn(one, lines)),
    );
  const usual = written(linesOf([]));
  const blocks = text.split("{").length - 1;
  return (headers) => {
    const kept = headers.filter(({ inBlocks }) => inBlocks === true);
    if (kept.length === 0) return usual;
    const lines = linesOf(kept);
    return lengthOf(lines) * blocks > mostAdded ? usual : written(lines);
  };
}

type Lines = readonly (readonly [directive: string, lines: string])[];

function linesOf(kept: readonly AnswerHeader[]): Lines {
  const added = kept.map(({ name, value }) => `add_header ${name} ${value} always; `);
  const hidden = kept.map(({ name }) => `proxy_hide_header ${name}; `);
  return [
    ["add_header", `add_header Strict-Transport-Security $strict_transport_security always; ${added.join("")}`],
    ["proxy_hide_header", `proxy_hide_header Strict-Transport-Security; ${hidden.join("")}`],
  ];
}

const lengthOf = (lines: Lines): number => lines.reduce((sum, [, text]) => sum + text.length, 0);

function insertionsIn({ name, block = [] }: Statement, lines: Lines): readonly Insertion[] {
  const at = block[0]?.from;
  if (at === undefined) return [];
  const own = lines.filter(([directive]) => block.some((one) => one.name === directive)).map(([, line]) => line);
  const all = name === "location" ? ["set $s_located 1; ", ...own] : own;
  const inside = block.flatMap((one) => insertionsIn(one, lines));
  return [...(all.length === 0 ? [] : [{ at, text: all.join("") }]), ...inside];
}
