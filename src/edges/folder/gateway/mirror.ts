/** The API server's rules for the filter RequestMirror: where copies go, and for which share. */
import { record, whole, wrong } from "../check.ts";
import { backendReference } from "./names.ts";

const fraction = record(
  { numerator: whole(0, 2_147_483_647), denominator: whole(1, 2_147_483_647) },
  ["numerator"],
  (value) => {
    const { numerator, denominator = 100 } = value as { readonly numerator: number; readonly denominator?: number };
    return numerator > denominator
      ? wrong(["numerator"], `${numerator} is more than the denominator ${denominator}`)
      : [];
  },
);

export const mirror = record(
  { backendRef: backendReference, percent: whole(0, 100), fraction },
  ["backendRef"],
  (value) =>
    ["percent", "fraction"].every((name) => ((value as Record<string, unknown>)[name] ?? undefined) !== undefined)
      ? wrong(["percent"], "it must not stand beside fraction")
      : [],
);
