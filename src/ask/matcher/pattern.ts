/**
 * Translates a pattern of nginx (PCRE, without regard to letter case) into one of JavaScript, where
 * the two mean the same. nginx gives up a pattern after a number of steps, but JavaScript never
 * does. So a pattern that may take long runs with a time limit: a tenant has written it, and this
 * process may be the controller.
 */
import { createContext, Script } from "node:vm";

/**
 * The limit for one pattern on one text. It is so long that a busy machine does not reach it by
 * chance.
 */
const limitMs = 1_000;
/** After so many patterns that took too long, no further pattern is tried. */
export const mostTooLong = 2;

/**
 * The rest of the time limit that the patterns of one piece of work share; undefined while no such
 * work runs.
 */
let leftMs: number | undefined;

/**
 * Runs `work`, in which all patterns that may take long share this time. When it is over, each
 * further one is left to nginx. A tenant may write a thousand patterns that end just before their
 * own limits.
 */
export function sharingTime<T>(mostMs: number, work: () => T): T {
  const before = leftMs;
  leftMs = mostMs;
  try {
    return work();
  } finally {
    leftMs = before;
  }
}

export class Pattern {
  readonly #pattern: RegExp;

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  /** Returns undefined if it takes too long; then only nginx can decide. */
  exec(text: string): RegExpExecArray | null | undefined {
    return mayTakeLong(this.#pattern.source, text) ? limited(this.#pattern, text) : this.#pattern.exec(text);
  }

  /** Returns undefined if it takes too long; then only nginx can decide. */
  test(text: string): boolean | undefined {
    const found = this.exec(text);
    return found === undefined ? undefined : found !== null;
  }
}

/** Returns undefined if JavaScript has no such pattern; then only nginx can decide. */
export function patternOf(source: string, flags = "is"): Pattern | undefined {
  const same = source
    .replace(/\(\?P?<(?![=!])/g, "(?<")
    .replace(/^\^?\(\?i\)/, (found) => (found.startsWith("^") ? "^" : ""))
    .replaceAll("\\z", "$")
    .replaceAll("\\A", "^")
    .replace(/([*+?}])\+/g, "$1");
  try {
    return new Pattern(new RegExp(same, flags));
  } catch {
    return undefined;
  }
}

/**
 * Whether the number of steps may grow faster than the square of the text's length: a group is
 * repeated, or several parts can divide the text in many ways. Few patterns of paths are like that,
 * and a time limit needs a thread.
 */
function mayTakeLong(source: string, text: string): boolean {
  if (/\)[*+{]/.test(source)) return true;
  const parts = source.match(/[*+?{]/g)?.length ?? 0;
  return parts > 12 || (parts > 2 && text.length > 24);
}

const context = createContext(Object.create(null) as Record<string, unknown>);
const script = new Script("pattern.exec(text)");

function limited(pattern: RegExp, text: string): RegExpExecArray | null | undefined {
  const timeout = Math.ceil(Math.min(limitMs, leftMs ?? limitMs));
  if (timeout <= 0) return undefined;
  Object.assign(context, { pattern, text });
  const begun = performance.now();
  try {
    return script.runInContext(context, { timeout }) as RegExpExecArray | null;
  } catch {
    return undefined;
  } finally {
    if (leftMs !== undefined) leftMs -= performance.now() - begun;
  }
}
