/** Headers that a location adds to answers, and headers of backends that they replace. */
import type { AnswerHeader, Protocol } from "../../directives/place.ts";
import { Token, type View } from "../../directives/token.ts";
import { forgottenLines, type HeaderLines, hasOwn, hideDirectives } from "../../settings/header-lines.ts";
import type { Settings } from "../../settings/registry.ts";

/**
 * Returns the view of `templates/answer-headers.tmpl`. It is false if the location inherits all
 * headers and adds none.
 */
export function answerHeadersView(
  all: readonly AnswerHeader[],
  lines: HeaderLines,
  { hideHeaders, followed }: Settings,
  protocol: Protocol,
): View {
  const hide = hideDirectives[protocol];
  const says = (directive: string) => lines.location.some((line) => line.directive === directive);
  const own = all.filter((header, at) => !header.replaces || all.findIndex((one) => isSame(one, header)) === at);
  const replaced = own.filter(({ replaces }) => replaces).map(({ name }) => name);
  const adds = own.length > 0 || says("add_header");
  const hides = replaced.length > 0 || says(hide);
  if (!adds && !hides) return false;
  const added = new Set(followed.addHeaders.map(({ name }) => name.toLowerCase()));
  const hidden = [Token.name("Strict-Transport-Security"), ...(hasOwn(lines, hide) ? [] : hideHeaders.map(Token.name))];
  return {
    adds,
    cleared: replaced.filter((name) => added.has(String(name).toLowerCase())),
    headers: own.map(({ name, value, always }) => ({ name, value, always })),
    directive: Token.name(hide),
    hidden: hides ? [...hidden, ...replaced] : [],
    forgotten: [
      ...(own.length > 0 ? forgottenLines(lines, "add_header") : []),
      ...(replaced.length > 0 ? forgottenLines(lines, hide) : []),
    ],
  };
}

/**
 * Divides headers between those that are added and those that are set after a snippet. If the
 * snippet sets or clears headers itself, an added one would come beside its own. As in
 * ingress-nginx, blocks of the snippet inherit those that are set, and may change them.
 */
export function dividedHeaders(all: readonly AnswerHeader[], snippet: string) {
  const isSet = /\bmore_(?:set|clear)_headers\b/.test(snippet);
  const set = all.flatMap(({ line }) => (isSet && line !== undefined ? [line] : []));
  return { set, added: isSet ? all.filter(({ line }) => line === undefined) : all };
}

/** Returns headers that replace the backend's, but that are left to a snippet which sets them. */
export function overruledHeaders(all: readonly AnswerHeader[], overruled: ReadonlySet<string>): Token[] {
  const names = all.filter(({ replaces }) => replaces).map(({ name }) => name);
  return names.filter((name) => overruled.has(String(name).toLowerCase()));
}

/**
 * Whether two headers have the same name and replace the backend's. Only the first of such headers
 * counts: those of CORS come before an author's own.
 */
function isSame(a: AnswerHeader, b: AnswerHeader): boolean {
  return a.replaces && String(a.name).toLowerCase() === String(b.name).toLowerCase();
}
