/**
 * Returns a text with which every match of a Perl regular expression begins. The text may be
 * shorter than possible, but never longer, because it separates the paths of tenants.
 */
export function literalPrefix(pattern: string): string {
  // The alternatives of the whole pattern may begin differently.
  if (hasAlternatives(pattern)) return "";
  let prefix = "";
  for (let at = 0; at < pattern.length; ) {
    const isEscaped = pattern[at] === "\\";
    const sign = pattern[isEscaped ? at + 1 : at] ?? "";
    if (isEscaped ? !/[^\w\s]/.test(sign) : special.test(sign)) {
      return vanishing.test(pattern.slice(at, at + 3)) ? prefix.slice(0, -1) : prefix;
    }
    at += isEscaped ? 2 : 1;
    // A character that a quantifier makes optional is not part of the text.
    if (/[*?{]/.test(pattern[at] ?? "")) return prefix;
    prefix += sign;
  }
  return prefix;
}

const special = /[\^$.*+?()[\]{}|\\]/;

/**
 * Constructs that match nothing themselves, so a quantifier after one refers to the character
 * before it.
 */
const vanishing = /^(?:\\[QE]|\(\?#)/;

/** Constructs after which brackets may be literal; few patterns have them. */
const rare = /\\[QEc]|\(\?#|\(\*|\(\?C|\(\?\^?[a-wyzA-Z]*x/;

const classes = /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\\[\s\S]/g;

/** Whether a `|` stands outside of all groups. In unclear cases the answer is yes. */
function hasAlternatives(pattern: string): boolean {
  if (!pattern.includes("|")) return false;
  if (rare.test(pattern)) return true;
  let depth = 0;
  for (const sign of pattern.replace(classes, "")) {
    if (sign === "(") depth += 1;
    else if (sign === ")") depth -= 1;
    else if (sign === "|" && depth <= 0) return true;
  }
  return false;
}
