/**
 * The net under the reading of one object. A user's mistake is a Problem, and never throws; so what
 * throws while one object is read is a bug in Sluice. It must not keep the controller from
 * starting, again at each start, because of one object of one tenant: that object is set aside, and
 * everything else goes on.
 */
import type { ObjectName, Problem } from "./problem.ts";

/** Returns what `work` returns, or what `instead` makes of the error that it threw. */
export function guarded<T>(work: () => T, instead: (bug: Error) => T): T {
  try {
    return work();
  } catch (cause) {
    return instead(errorOf(cause));
  }
}

/** As `guarded`, for work that waits. */
export async function guardedLater<T>(work: () => Promise<T>, instead: (bug: Error) => T): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    return instead(errorOf(cause));
  }
}

const errorOf = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** The Problem of an object that was set aside. */
export function bugProblem(object: ObjectName, bug: Error): Problem {
  return { object, kind: "bug", why: bugWords(bug) };
}

/**
 * The message, and the place in the source that a developer needs: `Maximum call stack size
 * exceeded at parse (grammar.ts:51)`.
 */
export function bugWords({ name, message, stack = "" }: Error): string {
  const [, called = "", file = "", line = ""] = /^ +at (?:(\S+) )?.*?([\w.-]+\.[cm]?[jt]s):(\d+)/m.exec(stack) ?? [];
  const place = file === "" ? "" : ` at ${called === "" ? "" : `${called} `}(${file}:${line})`;
  return `${name}: ${message.slice(0, 200)}${place}`;
}
