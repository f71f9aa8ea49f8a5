/**
 * Bounds for patterns of tenants that nginx itself runs. Lua gives all patterns of a request one
 * budget (nginx/lua/sluice/regex.lua), but nginx gives each the steps that its text states. A step
 * may look at the whole text and at each character of the pattern, so both must be bounded, too.
 */

import { literalPrefix } from "./literal-prefix.ts";

/** The most characters of a pattern, counted as often as they are repeated. */
const heaviest = 2_000;

/**
 * The budget of all patterns of one host and request. Looking at one character costs 1, at most
 * half a nanosecond.
 */
const budget = 2 ** 26;

/** nginx accepts no longer path, and none of its patterns weighs more. */
const longestPath = 8_192;

/** The fewest steps that an ordinary pattern needs. */
const fewestSteps = 64;

/** Returns the steps of a pattern that is compared once, beside those of a budget. */
export function stepsAlone(pattern: string): number {
  return unboundable(pattern) === undefined ? 1_024 : fewestSteps;
}

/** Returns the steps of a pattern that may match anywhere in a text of at most this length. */
export const stepsAnywhere = (longest: number): number => 2 ** Math.ceil(Math.log2(2 * longest));

/** nginx compares hosts with the patterns of all tenants. No name in DNS is longer. */
export const longestName = 253;

/** A canary's header that is longer matches no pattern, in static mode. */
export const longestHeader = 1_000;

/**
 * The budget of a tenant's patterns that nginx compares with one text, in characters that are
 * looked at.
 */
export class Allowance {
  readonly #longest: number;
  #left = 2 ** 25;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether the budget suffices for one more pattern, which then uses its share. */
  takes(pattern: string): boolean {
    const cost = stepsAnywhere(this.#longest) * (this.#longest + weightOf(pattern));
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }
}

/** The most patterns of a host that may be compared with one path beyond their plain beginnings. */
export const mostTogether = 32;

/** Returns why the steps of a pattern have no bound; undefined if they have one. */
export function unboundable(pattern: string): string | undefined {
  const construct = /\\[QEX]|\\[1-9gk]|\(\?#|\(\*|\(\?P=|\(\?[a-zA-Z^-]*x/.exec(pattern)?.[0];
  if (construct !== undefined) return `uses ${construct}, so its steps cannot be bounded`;
  const weight = weightOf(pattern);
  return weight > heaviest ? `repeats ${weight} characters, more than ${heaviest}` : undefined;
}

/**
 * Returns the number of characters of a pattern, each as often as it is repeated a fixed number of
 * times. Repetitions without an end count once, because each of them is a step.
 */
export function weightOf(pattern: string): number {
  const outer: number[] = [];
  let [sum, last] = [0, 0];
  for (const [part, least, most] of pattern.matchAll(parts)) {
    if (least !== undefined) {
      const times = Math.max(1, Number(most || least));
      sum += last * (times - 1);
      last *= times;
    } else if (part === "(") {
      // A group is looked at itself, too.
      outer.push(sum);
      [sum, last] = [1, 0];
    } else if (part === ")") {
      last = sum;
      sum += outer.pop() ?? 0;
    } else {
      last = 1;
      sum += 1;
    }
  }
  return outer.reduce((total, one) => total + one, sum);
}

const parts = /\{(\d+),?(\d*)\}|\\[\s\S]?|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]?|[\s\S]/g;

/**
 * Counts patterns of paths that PCRE may compare with one path. A pattern with another plain
 * beginning ends at its first characters.
 */
export class Together {
  readonly #beginnings = new Map<string, number>();
  #most = 0;

  /** Returns the number of patterns that would be compared with one path if this one were added. */
  with(pattern: string): number {
    const own = literalPrefix(pattern).toLowerCase();
    let most = this.#shorter(own) + 1;
    for (const beginning of this.#beginnings.keys())
      if (beginning !== own && beginning.startsWith(own)) most = Math.max(most, this.#shorter(beginning) + 1);
    return most;
  }

  add(pattern: string): void {
    const own = literalPrefix(pattern).toLowerCase();
    this.#most = Math.max(this.#most, this.with(pattern));
    this.#beginnings.set(own, (this.#beginnings.get(own) ?? 0) + 1);
  }

  /** Returns the steps that each of the patterns may take, so that all together keep the budget. */
  get steps(): number {
    const share = budget / (longestPath + heaviest) / Math.max(1, this.#most);
    return 2 ** Math.floor(Math.log2(Math.max(fewestSteps, share)));
  }

  #shorter(beginning: string): number {
    let count = 0;
    for (let length = 0; length <= beginning.length; length++)
      count += this.#beginnings.get(beginning.slice(0, length)) ?? 0;
    return count;
  }
}
