/**
 * The lines of snippets about headers of requests and answers. nginx inherits all lines of such a
 * directive or none: a block with one of its own does not inherit those around it. The lines of
 * authors and those of Sluice have to apply together, so each is repeated in blocks where the other
 * one would hide it.
 */

import { parse, type Statement } from "../kinds/grammar.ts";
import type { Protocol } from "../tokens/place.ts";
import { Token, type View } from "../tokens/token.ts";
import { snippet } from "./snippet.ts";

export interface HeaderLine {
  readonly directive: string;
  /** The directive as its author wrote it, up to the semicolon. */
  readonly text: string;
}

export const hideDirectives: Readonly<Record<Protocol, string>> = {
  http: "proxy_hide_header",
  grpc: "grpc_hide_header",
  fastcgi: "fastcgi_hide_header",
};
const ofAnswers = new Set(["add_header", ...Object.values(hideDirectives)]);
export const requestDirectives = ["proxy_set_header", "grpc_set_header"] as const;
/** Directives of the headers-more module. A block inherits those around it beside its own. */
export const setDirectives = ["more_set_headers", "more_clear_headers"] as const;
const followed = new Set<string>([...ofAnswers, ...requestDirectives, ...setDirectives]);

/** Whether a line or text could name Strict-Transport-Security, also by a `*`. */
export const namesSecurity = (text: string): boolean => /strict-|\*/i.test(text);

/**
 * Returns the lines at the top level of the snippet, because a line in a nested block concerns that
 * block.
 */
export function headerLinesIn(statements: readonly Statement[]): readonly HeaderLine[] {
  return statements.filter(({ name }) => followed.has(name)).map(({ name, text }) => ({ directive: name, text }));
}

export function headerLinesOf(text: string): readonly HeaderLine[] {
  const parsed = parse(text);
  return parsed.ok ? headerLinesIn(parsed.statements) : [];
}

/** The lines of authors for a location, by the block that contains them. */
export interface HeaderLines {
  readonly http: readonly HeaderLine[];
  readonly server: readonly HeaderLine[];
  readonly location: readonly HeaderLine[];
}

/**
 * Whether a location, or the server around it, has its own lines of one of these directives, so
 * that it does not inherit those of the http block.
 */
export function hasOwn({ server, location }: HeaderLines, ...directives: readonly string[]): boolean {
  return [...location, ...server].some((line) => directives.includes(line.directive));
}

/**
 * Returns the lines of a directive that a location has to restate when Sluice adds one there: those
 * of the nearest block around it.
 */
export function forgottenLines({ http, server, location }: HeaderLines, directive: string): readonly Token[] {
  const levels = [location, server, http].map((lines) => lines.filter((line) => line.directive === directive));
  const nearest = levels.findIndex((lines) => lines.length > 0);
  return nearest < 1 ? [] : levels[nearest]!.map(({ text }) => snippet.view(text) as Token);
}

/**
 * Returns the view of `templates/restated-headers.tmpl`: the lines about answer headers that a
 * server restates beside its snippet, except those in `restated`.
 */
export function restatedView(lines: readonly HeaderLine[], restated: readonly HeaderLine[] = []): View {
  const named = new Set(lines.map(({ directive }) => directive).filter((directive) => ofAnswers.has(directive)));
  for (const { directive } of restated) named.delete(directive);
  const hides = [...named].filter((directive) => directive !== "add_header");
  return named.size > 0 && { adds: named.has("add_header"), hides: hides.map(Token.name) };
}
