/**
 * Lists the differences between answers for which a page gives the reason. All other differences
 * are mistakes.
 */
import type { Fields } from "./client.ts";

interface Known {
  /** The words of docs/move.md about this difference. */
  readonly words: string;
  covers(fields: readonly string[], answers: Answers, isUnruled: boolean): boolean;
}

type Answers = readonly [ingresses: Fields, routes: Fields];

export const knownDifferences: readonly Known[] = [
  {
    words:
      "A path without a rule gives 404 in both cases. Redirects, guards and snippets of an Ingress may answer such a request earlier; these answers are not compared.",
    covers: (fields, [ingresses, routes], isUnruled) => {
      const status = routes.get("status");
      // A body that is too large is answered before the 404, with the headers of the path.
      const isLarge = status === "413" && (isUnruled || fields.every((name) => name.startsWith("header ")));
      return (status === "404" || isLarge) && !answeredByBackend(ingresses, routes);
    },
  },
  {
    words: "Strict-Transport-Security is compared only in answers of backends.",
    covers: (fields, answers) =>
      fields.every((name) => name === "header strict-transport-security") && !answeredByBackend(...answers),
  },
  {
    words:
      "A route redirects to the path with a slash before it checks the size of the body. An Ingress checks the size first, so a request with too large a body gets 413 there.",
    covers: (_fields, [ingresses, routes]) =>
      ingresses.get("status") === "413" &&
      routes.get("status") === "301" &&
      /[^/]\/(\?|$)/.test(routes.get("header location") ?? ""),
  },
];

const answeredByBackend = (...answers: readonly Fields[]): boolean => answers.some((one) => one.has("backend"));

/** Whether a page gives the reason. `isUnruled` is true if no rule of a route has the path. */
export function isKnown(fields: readonly string[], answers: Answers, isUnruled: boolean): boolean {
  return knownDifferences.some(({ covers }) => covers(fields, answers, isUnruled));
}
