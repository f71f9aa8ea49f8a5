/**
 * A safety net for code that no other code waits for: timers, events, servers, and promises that
 * are left alone. Node ends the program if such code throws, for a disk that is full or read-only
 * as much as for a bug. With the net, a failure is reported once, and everything else goes on. A
 * test forbids the bare functions of Node in `src`.
 */

export type CallbackReport = (what: string, failure: Error | undefined) => void;

let report: CallbackReport = (what, failure) => {
  if (failure !== undefined) process.stderr.write(`${what} failed: ${failure.message}\n`);
};

/** The last failure of each callback, so that each is reported once. */
const failing = new Map<string, string>();

/** Sets what is called with a new failure, and with undefined when it is over. */
export function reportCallbacks(to: CallbackReport): void {
  report = to;
}

/**
 * Returns a function for an event or a server that does `work` and never throws. `what` completes
 * the sentence "… failed", and is constant.
 */
export function callback<A extends readonly unknown[]>(
  what: string,
  work: (...args: A) => unknown,
): (...args: A) => void {
  return (...args) => {
    try {
      const done = work(...args);
      if (done instanceof Promise) inBackground(what, done);
    } catch (failure) {
      failed(what, failure);
    }
  };
}

/** Calls `work` at each interval. After a failure the next interval tries again. */
export function repeat(what: string, ms: number, work: () => unknown): NodeJS.Timeout {
  return setInterval(async () => {
    try {
      await work();
      over(what);
    } catch (failure) {
      failed(what, failure);
    }
  }, ms);
}

/** Calls `work` once, after `ms`. */
export function later(what: string, ms: number, work: () => unknown): NodeJS.Timeout {
  return setTimeout(callback(what, work), ms);
}

/** Calls `work` once, after the events that have arrived already. */
export function soon(what: string, work: () => unknown): void {
  setImmediate(callback(what, work));
}

/** Returns the result of `work`; undefined if it fails, which is reported. */
export async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await work();
    over(what);
    return result;
  } catch (failure) {
    failed(what, failure);
    return undefined;
  }
}

/** Leaves a promise alone. */
export function inBackground(what: string, promise: Promise<unknown>): void {
  promise.catch((failure: unknown) => failed(what, failure));
}

function failed(what: string, failure: unknown): void {
  const error = failure instanceof Error ? failure : new Error(String(failure));
  if (failing.get(what) === error.message) return;
  failing.set(what, error.message);
  report(what, error);
}

function over(what: string): void {
  if (failing.delete(what)) report(what, undefined);
}
