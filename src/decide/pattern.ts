/**
 * A pattern of nginx's (PCRE, letter case ignored) as one of JavaScript's, where the two mean the
 * same.
 */

/** Undefined where JavaScript has no such pattern: then only nginx can say what it takes. */
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
