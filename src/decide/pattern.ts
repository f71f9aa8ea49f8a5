/**
 * Translates a pattern of nginx (PCRE, without regard to letter case) into one of JavaScript, where
 * the two mean the same.
 */

/** Undefined where JavaScript has no such pattern; then only nginx can decide. */
export function patternOf(source: string, flags = "is"): RegExp | undefined {
  const same = source
    .replace(/\(\?P?<(?![=!])/g, "(?<")
    .replace(/^\^?\(\?i\)/, (found) => (found.startsWith("^") ? "^" : ""))
    .replaceAll("\\z", "$")
    .replaceAll("\\A", "^")
    .replace(/([*+?}])\+/g, "$1");
  try {
    return new RegExp(same, flags);
  } catch {
    return undefined;
  }
}
