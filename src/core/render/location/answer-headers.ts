/** Headers that a location adds to answers, and headers of backends that they replace. */

import { forgottenLines, type HeaderLines, hasOwn, hideDirectives } from "../../settings/header-lines.ts";
import type { Settings } from "../../settings/registry.ts";
import type { AnswerHeader, Protocol } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";

/**
 * Returns the view of `templates/answer-headers.tmpl`. It is false if the location inherits all
 * headers and adds none. With `setsSecurity` it neither adds nor hides Strict-Transport-Security.
 */
export function answerHeadersView(
  all: readonly AnswerHeader[],
  lines: HeaderLines,
  { hideHeaders }: Settings,
  protocol: Protocol,
  setsSecurity = false,
): View {
  const hide = hideDirectives[protocol];
  const says = (directive: string) => lines.location.some((line) => line.directive === directive);
  const own = all.filter((header, at) => !header.replaces || all.findIndex((one) => isSame(one, header)) === at);
  const replaced = own.filter(({ replaces }) => replaces).map(({ name }) => name);
  const adds = own.length > 0 || says("add_header") || setsSecurity;
  const hides = replaced.length > 0 || says(hide) || setsSecurity;
  if (!adds && !hides) return false;
  const security = Token.name(setsSecurity ? "X-Sluice-None" : "Strict-Transport-Security");
  const hidden = [security, ...(hasOwn(lines, hide) ? [] : hideHeaders.map(Token.name))];
  return {
    adds,
    setsSecurity,
    headers: own.map(({ name, value, always }) => ({ name, value, always })),
    directive: Token.name(hide),
    hidden: hides ? [...hidden, ...replaced] : [],
    forgotten: [
      ...(own.length > 0 || setsSecurity ? forgottenLines(lines, "add_header") : []),
      ...(replaced.length > 0 || setsSecurity ? forgottenLines(lines, hide) : []),
    ],
  };
}

/**
 * Whether two headers have the same name and replace the backend's. Only the first of such headers
 * counts: those of CORS come before an author's own.
 */
function isSame(a: AnswerHeader, b: AnswerHeader): boolean {
  return a.replaces && String(a.name).toLowerCase() === String(b.name).toLowerCase();
}
