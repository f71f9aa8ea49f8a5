/**
 * The text that everything begins with that a Perl regular expression matches from its start on. It
 * may be shorter than it could be and never longer: by it paths of one tenant are kept out of
 * another's.
 */
export function literalPrefix(pattern: string): string {
  // Every alternative of the whole pattern has a beginning of its own.
  if (hasAlternatives(pattern)) return "";
  let prefix = "";
  for (let at = 0; at < pattern.length; ) {
    const isEscaped = pattern[at] === "\\";
    const sign = pattern[isEscaped ? at + 1 : at] ?? "";
    if (isEscaped ? !/[^\w\s]/.test(sign) : special.test(sign)) {
      return vanishing.test(pattern.slice(at, at + 3)) ? prefix.slice(0, -1) : prefix;
    }
    at += isEscaped ? 2 : 1;
    // A sign that may be left out is no part of it.
    if (/[*?{]/.test(pattern[at] ?? "")) return prefix;
    prefix += sign;
  }
  return prefix;
}

const special = /[\^$.*+?()[\]{}|\\]/;

/** Signs that stand for nothing, so that a quantifier after it means the sign before it. */
const vanishing = /^(?:\\[QE]|\(\?#)/;

/** Signs after which brackets may be none; few patterns have it. */
const rare = /\\[QEc]|\(\?#|\(\*|\(\?C|\(\?\^?[a-wyzA-Z]*x/;

const classes = /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\\[\s\S]/g;

/** Whether a `|` stands outside of all groups; where that is hard to say it is said. */
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
