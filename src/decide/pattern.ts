/**
 * Translates a pattern of nginx (PCRE, without regard to letter case) into one of JavaScript, where
 * the two mean the same. nginx gives a pattern up after some steps, and JavaScript never does, so
 * one that may take long is run with a limit of time: a tenant writes the pattern, and the process
 * that explains it may be the controller.
 */
import { createContext, Script } from "node:vm";

/**
 * Of one pattern on one text. So long a time is never reached by chance, when the machine is busy.
 */
const limitMs = 1_000;
/** Where several patterns are tried, no further one is after so many that took too long. */
export const mostTooLong = 2;

export class Pattern {
  readonly #pattern: RegExp;

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  /** Undefined where it takes too long; then only nginx can decide. */
  exec(text: string): RegExpExecArray | null | undefined {
    return mayTakeLong(this.#pattern.source, text) ? limited(this.#pattern, text) : this.#pattern.exec(text);
  }

  /** Undefined where it takes too long; then only nginx can decide. */
  test(text: string): boolean | undefined {
    const found = this.exec(text);
    return found === undefined ? undefined : found !== null;
  }
}

/** Undefined where JavaScript has no such pattern; then only nginx can decide. */
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
 * Whether its steps may grow faster than the square of the text: where a group is repeated, or
 * where several parts share out the text. Most patterns of paths do neither, and a limit costs a
 * thread.
 */
function mayTakeLong(source: string, text: string): boolean {
  if (/\)[*+{]/.test(source)) return true;
  const parts = source.match(/[*+?{]/g)?.length ?? 0;
  return parts > 12 || (parts > 2 && text.length > 24);
}

const context = createContext(Object.create(null) as Record<string, unknown>);
const script = new Script("pattern.exec(text)");

function limited(pattern: RegExp, text: string): RegExpExecArray | null | undefined {
  Object.assign(context, { pattern, text });
  try {
    return script.runInContext(context, { timeout: limitMs }) as RegExpExecArray | null;
  } catch {
    return undefined;
  }
}
