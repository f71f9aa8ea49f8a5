/**
 * Decides whether a request must pass every access check of its Location, or only one of them
 * (RS-19.3).
 */
import { oneOf } from "../kinds/words.ts";
import { feature, field } from "./declare.ts";

export const satisfy = feature({
  name: "satisfy",
  scope: "location",
  guard: true,
  // Passing one check of one object must not replace the checks of the other.
  both: () => ({ checks: "all" as const }),
  readsHeadersLate: ({ checks }) => checks === "any",
  fields: {
    checks: field({
      key: "satisfy",
      example: "any",
      kind: oneOf(["any", "all"]),
      fallback: () => "all" as const,
      risk: "Low",
      directive: { name: "satisfy", grpc: "satisfy" },
      doc: "any: one of access lists, Basic and external authentication is enough; all: each must let the request pass.",
    }),
  },
});
