/**
 * The lines of snippets about headers of requests and answers. nginx inherits all lines of such a
 * directive or none: a block that has one of its own forgets those around it. An author's line is
 * to hold whatever else Sluice says there, and the other way round, so each side is restated where
 * the other would make nginx forget it.
 */

import type { Protocol } from "../directives/place.ts";
import { Token, type View } from "../directives/token.ts";
import { parse, type Statement } from "../kinds/grammar.ts";
import { snippet } from "./snippet.ts";

export interface HeaderLine {
  readonly directive: string;
  /** As its author wrote it, up to the semicolon. */
  readonly text: string;
}

export const hideDirectives: Readonly<Record<Protocol, string>> = {
  http: "proxy_hide_header",
  grpc: "grpc_hide_header",
  fastcgi: "fastcgi_hide_header",
};
const ofAnswers = new Set(["add_header", ...Object.values(hideDirectives)]);
export const requestDirectives = ["proxy_set_header", "grpc_set_header"] as const;
const followed = new Set<string>([...ofAnswers, ...requestDirectives]);

/** At the level of the snippet itself: what stands in a block of it is about that block. */
export function headerLinesIn(statements: readonly Statement[]): readonly HeaderLine[] {
  return statements.filter(({ name }) => followed.has(name)).map(({ name, text }) => ({ directive: name, text }));
}

export function headerLinesOf(text: string): readonly HeaderLine[] {
  const parsed = parse(text);
  return parsed.ok ? headerLinesIn(parsed.statements) : [];
}

/** Those of an author that hold for a location, by where they stand. */
export interface HeaderLines {
  readonly http: readonly HeaderLine[];
  readonly server: readonly HeaderLine[];
  readonly location: readonly HeaderLine[];
}

/**
 * Whether a location, or the server around it, has its own lines of one of these directives, so
 * that those of the http block are forgotten.
 */
export function hasOwn({ server, location }: HeaderLines, ...directives: readonly string[]): boolean {
  return [...location, ...server].some((line) => directives.includes(line.directive));
}

/**
 * The lines of a directive that a location has to restate when Sluice puts one there: those of the
 * nearest block around it.
 */
export function forgottenLines({ http, server, location }: HeaderLines, directive: string): readonly Token[] {
  const levels = [location, server, http].map((lines) => lines.filter((line) => line.directive === directive));
  const nearest = levels.findIndex((lines) => lines.length > 0);
  return nearest < 1 ? [] : levels[nearest]!.map(({ text }) => snippet.view(text) as Token);
}

/**
 * For `templates/restated-headers.tmpl`: what a server restates of the answers' headers beside its
 * snippet, but what `said` does already.
 */
export function restatedView(lines: readonly HeaderLine[], said: readonly HeaderLine[] = []): View {
  const named = new Set(lines.map(({ directive }) => directive).filter((directive) => ofAnswers.has(directive)));
  for (const { directive } of said) named.delete(directive);
  const hides = [...named].filter((directive) => directive !== "add_header");
  return named.size > 0 && { adds: named.has("add_header"), hides: hides.map(Token.name) };
}
