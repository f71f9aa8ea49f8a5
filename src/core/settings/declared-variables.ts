/**
 * Finds the variables that the ConfigMap's snippets declare. Values of annotations may name them.
 */
import { variablesDeclaredIn } from "../kinds/declared-variables.ts";
import type { Settings } from "./registry.ts";

const known = new WeakMap<Settings, ReadonlySet<string>>();

export function declaredBySettings(settings: Settings): ReadonlySet<string> {
  let declared = known.get(settings);
  if (declared === undefined) {
    const { httpSnippet, serverSnippet, locationSnippet } = settings;
    declared = new Set([httpSnippet, serverSnippet, locationSnippet].flatMap(variablesDeclaredIn));
    known.set(settings, declared);
  }
  return declared;
}
