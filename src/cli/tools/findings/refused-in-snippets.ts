/** Finds mistakes in snippets, by themselves and because of the text around them. */

import type { Flags } from "../../../controller/flags.ts";
import type { Problem } from "../../../core/model/problem.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import { type Snippet, snippetProblems, snippetsIn } from "../snippet-findings.ts";
import type { Translated } from "../translated.ts";
import { authLocations } from "./auth-locations.ts";
import { misplacedLocations } from "./nested-locations.ts";
import { setTwice } from "./set-twice.ts";
import { locatedTwice } from "./twice-located.ts";

type Translation = Pick<Translated, "snapshot" | "configuration" | "options">;

/** `whole` also has the objects that a mistake keeps from being applied. */
export function inSnippets(whole: Snapshot, translation: Translation, flags: Flags): Problem[] {
  const { settings } = translation.configuration;
  const snippets = snippetsIn(whole, settings, translation.options);
  return [...snippetProblems(snippets, settings), ...refusedInSnippets(snippets, translation, flags)];
}

/** Finds what nginx refuses in snippets because of the text around them. */
export function refusedInSnippets(
  snippets: readonly Snippet[],
  { snapshot, configuration, options }: Translation,
  flags: Flags,
): Problem[] {
  return [
    ...authLocations(snippets),
    ...locatedTwice(snapshot, configuration, options.annotationsPrefix),
    ...misplacedLocations(snapshot, configuration, options.annotationsPrefix),
    ...setTwice(snippets, configuration, flags),
  ];
}
