/**
 * Decides whether a request must pass every access check of its Location, or only one of them
 * (RS-19.3).
 */
import { oneOf } from "../kinds/words.ts";
import { accessLists } from "./access-lists.ts";
import { basicAuth } from "./basic-auth.ts";
import { feature, field, type Other } from "./declare.ts";
import { externalAuth } from "./external-auth/declaration.ts";
import { configurationSnippet } from "./snippets.ts";

export const satisfy = feature({
  name: "satisfy",
  scope: "location",
  guard: true,
  // Passing one check of one object must not replace the checks of the other.
  both: () => ({ checks: "all" as const }),
  readsHeadersLate: ({ checks }) => checks === "any",
  fields: {
    checks: field("satisfy", {
      example: "any",
      kind: oneOf(["any", "all"]),
      fallback: () => "all" as const,
      directive: { name: "satisfy", grpc: "satisfy" },
      doc: "any: one of access lists, Basic and external authentication is enough; all: each must let the request pass.",
    }),
  },
  onlyWith: {
    checks: ({ checks }, other) => (checks === "any" ? fewChecks(other) : undefined),
  },
});

/** Returns why there is nothing to choose from. The directives of a snippet may be checks, too. */
function fewChecks(other: Other): string | undefined {
  const { allow, deny } = other(accessLists);
  const checks = [
    allow.length + deny.length > 0,
    other(basicAuth).kind !== "none",
    other(externalAuth).kind !== "none",
  ];
  if (checks.filter((isSet) => isSet).length > 1 || other(configurationSnippet).text !== "") return undefined;
  return "it chooses between access lists, Basic and external authentication, and fewer than two of them are set";
}
