/**
 * Spellings of header names that some programs take for another name. nginx replaces a header of a
 * client only under its exact name. Servers behind CGI and its successors read `_` as `-`, and so
 * do nginx's own variables for headers. So if the operator lets such names through, each header
 * that Sluice sets is removed in its other spellings, or clients could contradict it.
 */
import type { Settings } from "./registry.ts";

/** The keys of the ConfigMap that decide whether nginx drops names with underscores. */
type Underscores = Pick<Settings, "ignoreInvalidHeaders" | "enableUnderscoresInHeaders">;

export function letsUnderscoresThrough({ ignoreInvalidHeaders, enableUnderscoresInHeaders }: Underscores): boolean {
  return enableUnderscoresInHeaders || !ignoreInvalidHeaders;
}

/** A name with more hyphens has too many spellings; only the one without any hyphen is removed. */
const mostHyphens = 4;

/**
 * Returns the other spellings of these names, without those that are names themselves; none if
 * nginx drops them.
 */
export function otherSpellings(names: readonly string[], settings: Underscores): readonly string[] {
  if (!letsUnderscoresThrough(settings)) return [];
  const own = new Set(names.map((name) => name.toLowerCase()));
  return [...new Set([...own].flatMap(spellingsOf))].filter((name) => !own.has(name));
}

/** Returns all names with some of the hyphens replaced. */
function spellingsOf(name: string): readonly string[] {
  const parts = name.split("-");
  if (parts.length - 1 > mostHyphens) return [parts.join("_")];
  const [first = "", ...rest] = parts;
  return rest.reduce((before, part) => before.flatMap((text) => [`${text}-${part}`, `${text}_${part}`]), [first]);
}
