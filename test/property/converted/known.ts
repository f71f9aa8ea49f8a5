/**
 * Lists the differences between answers for which a page gives the reason. All other differences
 * are mistakes.
 */
import type { Fields } from "./client.ts";

interface Known {
  /** The words of docs/move.md about this difference. */
  readonly words: string;
  covers(fields: readonly string[], answers: readonly [ingresses: Fields, routes: Fields]): boolean;
}

export const knownDifferences: readonly Known[] = [
  {
    words:
      "A path that no rule has ends in 404 with both. Redirects, guards and snippets of an Ingress may answer such a request before; that is not compared.",
    covers: (fields, [ingresses, routes]) => {
      const status = routes.get("status");
      // A body that is too large is answered before the 404, with the headers of the path.
      const isLarge = status === "413" && fields.every((name) => name.startsWith("header "));
      return (status === "404" || isLarge) && !answeredByBackend(ingresses, routes);
    },
  },
  {
    words: "Strict-Transport-Security is compared in answers of backends alone.",
    covers: (fields, answers) =>
      fields.every((name) => name === "header strict-transport-security") && !answeredByBackend(...answers),
  },
  {
    words: "A route adds the slash to a path before it looks at the size of the body.",
    covers: (_fields, [ingresses, routes]) =>
      ingresses.get("status") === "413" &&
      routes.get("status") === "301" &&
      /[^/]\/(\?|$)/.test(routes.get("header location") ?? ""),
  },
];

const answeredByBackend = (...answers: readonly Fields[]): boolean => answers.some((one) => one.has("backend"));

export function isKnown(fields: readonly string[], answers: readonly [Fields, Fields]): boolean {
  return knownDifferences.some(({ covers }) => covers(fields, answers));
}
