/** Finds what nginx refuses in snippets because of the text around them. */
import type { Problem } from "../../../problem.ts";
import type { Flags } from "../../flags.ts";
import type { Snippet } from "../snippet-findings.ts";
import type { Translated } from "../translated.ts";
import { authLocations } from "./auth-locations.ts";
import { misplacedLocations } from "./nested-locations.ts";
import { setTwice } from "./set-twice.ts";
import { locatedTwice } from "./twice-located.ts";

export function refusedInSnippets(
  snippets: readonly Snippet[],
  { snapshot, configuration, options }: Pick<Translated, "snapshot" | "configuration" | "options">,
  flags: Flags,
): Problem[] {
  return [
    ...authLocations(snippets),
    ...locatedTwice(snapshot, configuration, options.annotationsPrefix),
    ...misplacedLocations(snapshot, configuration, options.annotationsPrefix),
    ...setTwice(snippets, configuration, flags),
  ];
}
