/**
 * A safety net for reading one object. A user's mistake is a Problem and never throws, so an
 * exception while an object is read is a bug in Sluice. Without the net, one object of one tenant
 * could keep the controller from starting. With it, that object is set aside, and everything else
 * goes on.
 */
/** Returns the result of `work`. If it throws, returns the result of `instead` for the error. */
export function guarded<T>(work: () => T, instead: (bug: Error) => T): T {
  try {
    return work();
  } catch (cause) {
    return instead(errorOf(cause));
  }
}

/** Does the same as `guarded` for asynchronous work. */
export async function guardedLater<T>(work: () => Promise<T>, instead: (bug: Error) => T): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    return instead(errorOf(cause));
  }
}

const errorOf = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/**
 * Returns the message, and the place in the source that a developer needs: `Maximum call stack size
 * exceeded at parse (grammar.ts:51)`.
 */
export function bugWords({ name, message, stack = "" }: Error): string {
  const [, called = "", file = "", line = ""] = /^ +at (?:(\S+) )?.*?([\w.-]+\.[cm]?[jt]s):(\d+)/m.exec(stack) ?? [];
  const place = file === "" ? "" : ` at ${called === "" ? "" : `${called} `}(${file}:${line})`;
  return `${name}: ${message.slice(0, 200)}${place}`;
}
