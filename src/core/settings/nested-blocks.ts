/**
 * Keeps headers of answers in blocks inside the snippet of a location. nginx drops added headers
 * where an `if` or a location has an add_header of its own, and a location that answers by `return`
 * is not known to be that of an Ingress. ingress-nginx sets Strict-Transport-Security at the end,
 * for whatever answers there (RS-11.5), and custom-headers with a directive that blocks inherit.
 */

import { parse, type Statement } from "../kinds/grammar.ts";
import { longestText } from "../kinds/kind.ts";
import type { AnswerHeader } from "../tokens/place.ts";
import type { Token } from "../tokens/token.ts";
import { namesSecurity } from "./header-lines.ts";
import { type Insertion, withInsertions } from "./insertions.ts";

/** The most characters that are added for the headers of a location. */
const mostAdded = longestText;

/** The headers of a location: those that are added, and lines that are set after an author's. */
export interface HeadersInBlocks {
  readonly added: readonly AnswerHeader[];
  readonly security: readonly Token[];
}

const noHeaders: HeadersInBlocks = { added: [], security: [] };

/** Returns the text with lines of Sluice in its blocks. `headers` are those of the location. */
export function withNestedBlocks(text: string, headers: HeadersInBlocks = noHeaders): string {
  return nestedBlocks(text)(headers);
}

/**
 * Reads a text that many locations have. The result writes it for a location with these headers.
 * Line numbers do not change. Headers that would make the text grow too much are left out.
 */
export function nestedBlocks(text: string): (headers: HeadersInBlocks) => string {
  const parsed = text.includes("{") ? parse(text) : undefined;
  if (!parsed?.ok) return () => text;
  const { statements } = parsed;
  const written = (lines: Lines, after = "") =>
    withInsertions(
      text,
      statements.flatMap((one) => insertionsIn(one, lines, after)),
    );
  const usual = written(linesOf([]));
  const blocks = text.split("{").length - 1;
  return ({ added, security }) => {
    const kept = added.filter(({ inBlocks }) => inBlocks === true);
    if (kept.length === 0 && security.length === 0) return usual;
    const lines = linesOf(kept);
    const after = security.map((line) => ` more_set_headers ${line};`).join("");
    return (lengthOf(lines) + after.length) * blocks > mostAdded ? usual : written(lines, after);
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

/** `after` follows the last line of a block that could set Strict-Transport-Security. */
function insertionsIn({ name, block = [] }: Statement, lines: Lines, after: string): readonly Insertion[] {
  const at = block[0]?.from;
  if (at === undefined) return [];
  const own = lines.filter(([directive]) => block.some((one) => one.name === directive)).map(([, line]) => line);
  const all = name === "location" ? ["set $s_located 1; ", ...own] : own;
  const inside = block.flatMap((one) => insertionsIn(one, lines, after));
  const setting = block.findLast((one) => /^more_/.test(one.name) && namesSecurity(one.text));
  const end = setting === undefined || after === "" ? [] : [{ at: setting.from + setting.text.length, text: after }];
  return [...(all.length === 0 ? [] : [{ at, text: all.join("") }]), ...inside, ...end];
}
