/**
 * Headers of answers beside headers that authors set. nginx runs more_set_headers from the http
 * block inwards, the lines of an `if` last, and add_header after all of them, beside what is there.
 * So a header of Sluice that is added comes beside an author's own. Where an author sets or adds
 * headers, Sluice therefore sets its own as ingress-nginx does: the headers of CORS in an `if`
 * before the snippets, custom-headers after them. Then the same lines win. Elsewhere headers are
 * added, which works without the headers-more module.
 */

import { type HeaderLine, type HeaderLines, namesSecurity, setDirectives } from "../../settings/header-lines.ts";
import type { Settings } from "../../settings/registry.ts";
import type { AnswerHeader, Place } from "../../tokens/place.ts";
import { Token } from "../../tokens/token.ts";

const changing = new Set<string>(["add_header", ...setDirectives]);

/**
 * Whether authors change headers with these names (in lower case) around a location, for all
 * answers in it.
 */
export function areSetAround(names: readonly string[], lines: readonly HeaderLine[], { followed }: Settings): boolean {
  return (
    followed.addHeaders.some(({ name }) => names.some((one) => name.toLowerCase().startsWith(one))) ||
    lines.some(({ directive, text }) => changing.has(directive) && mentions(text, names))
  );
}

/** Whether a location's own text changes headers with these names, or leads to another block. */
export function areSetIn(names: readonly string[], text: string): boolean {
  return /\bif\b/.test(text) || (/\b(?:more_(?:set|clear)_headers|add_header)\b/.test(text) && mentions(text, names));
}

/** A text may name headers by a `*`, too. */
function mentions(text: string, names: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return lower.includes("*") || names.some((name) => lower.includes(name));
}

/** Returns the names of headers that can be set, in lower case. */
export function settable(all: readonly AnswerHeader[]): readonly string[] {
  return all.flatMap(({ name, line }) => (line === undefined ? [] : [String(name).toLowerCase()]));
}

/** Headers that a location adds, and the lines that set the others. */
export interface Divided {
  readonly added: readonly AnswerHeader[];
  /** Lines after the snippets. */
  readonly last: readonly Token[];
  /** Lines for an allowed origin, and further ones for its preflight. */
  readonly forOrigin: { readonly lines: readonly Token[]; readonly preflight: readonly Token[] } | false;
}

/** Divides headers between those that are added and those that are set. */
export function divided(all: readonly AnswerHeader[], areSet: boolean): Divided {
  if (!areSet) return { added: all, last: [], forOrigin: false };
  const lines = (when: string | undefined) =>
    all.flatMap((one) => (one.line !== undefined && one.when?.toString() === when ? [one.line] : []));
  return {
    added: all.filter(({ line }) => line === undefined),
    last: lines(undefined),
    forOrigin: lines("$route_cors").length > 0 && {
      lines: lines("$route_cors"),
      preflight: lines("$cors_preflight"),
    },
  };
}

/**
 * Whether an author's line could change or hide Strict-Transport-Security. `text` is that of the
 * location.
 */
export function isSecuritySet(text: string, { http, server }: HeaderLines): boolean {
  const changes = (line: string) => /\b(?:more_(?:set|clear)_headers|\w+_hide_header)\b/.test(line);
  return [text, ...[...http, ...server].map((line) => line.text)].some((one) => changes(one) && namesSecurity(one));
}

/**
 * Returns the line that gives Strict-Transport-Security its value after the lines of authors: over
 * TLS that of the setting hsts, else the one that the answer has.
 */
export function securityLine(secure: Token, place: Place): Token {
  place.inHttp(
    Token.conf`map $https $set_transport_security { volatile; default $sent_http_strict_transport_security; on ${secure}; }`,
  );
  return Token.conf`"Strict-Transport-Security: $set_transport_security"`;
}
