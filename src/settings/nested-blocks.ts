/**
 * Keeps headers of answers in blocks inside the snippet of a location. nginx drops added headers
 * where an `if` or a location has an add_header of its own, and a location that answers by `return`
 * is not known to be that of an Ingress. ingress-nginx sets Strict-Transport-Security at the end,
 * for whatever answers there (RS-11.5), and custom-headers with a directive that blocks inherit.
 */
import type { AnswerHeader } from "../directives/place.ts";
import { parse, type Statement } from "../kinds/grammar.ts";
import { type Insertion, withInsertions } from "./insertions.ts";

/**
 * Returns the text with lines of Sluice in its blocks. `headers` are those of the location. Line
 * numbers do not change.
 */
export function withNestedBlocks(text: string, headers: readonly AnswerHeader[] = []): string {
  const parsed = text.includes("{") ? parse(text) : undefined;
  if (!parsed?.ok) return text;
  const lines = linesOf(headers.filter(({ inBlocks }) => inBlocks === true));
  return withInsertions(
    text,
    parsed.statements.flatMap((one) => insertionsIn(one, lines)),
  );
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

function insertionsIn({ name, block = [] }: Statement, lines: Lines): readonly Insertion[] {
  const at = block[0]?.from;
  if (at === undefined) return [];
  const own = lines.filter(([directive]) => block.some((one) => one.name === directive)).map(([, line]) => line);
  const all = name === "location" ? ["set $s_located 1; ", ...own] : own;
  const inside = block.flatMap((one) => insertionsIn(one, lines));
  return [...(all.length === 0 ? [] : [{ at, text: all.join("") }]), ...inside];
}
