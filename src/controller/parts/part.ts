/**
 * A program as a list of parts. A part has a function that starts it and returns an
 * AsyncDisposable, which stops it. Parts start in the order of the list and stop in reverse order.
 * So the lists of `run` and `serve` show the whole start and, read from the end, the whole
 * shutdown.
 */
import type { Log } from "../../edges/log/log.ts";
import type { Ending } from "../run/ending.ts";

export interface Part {
  /** For the log, from `--v=2` on. */
  readonly name: string;
  /**
   * Starts the part. `signal` is aborted when the program is to end. Rejects with `CannotStart` for
   * mistakes that the operator can correct; any other error is a bug.
   */
  start(signal: AbortSignal): Promise<AsyncDisposable>;
}

/** The error of a program that cannot start. Its message is one sentence with the reason. */
export class CannotStart extends Error {}

export type Ended = { readonly kind: "ended" } | { readonly kind: "failed"; readonly why: string };

/**
 * Starts all parts, waits for the end of the program, and stops them. Rejects with a bug and then
 * stops nothing: the program ends at once, and nginx goes on serving.
 */
export async function runParts(parts: readonly Part[], ending: Ending, log: Log): Promise<Ended> {
  const started: AsyncDisposable[] = [];
  try {
    for (const part of parts) {
      started.unshift(await part.start(ending.signal));
      log.debug({ part: part.name }, "started");
    }
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    ending.because(error);
    await stopAll(started);
    // A part was interrupted because the program ends. If a failure ended the program, that
    // failure is the cause.
    return { kind: "failed", why: (ending.isFailure ? (ending.signal.reason as Error) : error).message };
  }
  const why = await ending.ended;
  await stopAll(started);
  return why instanceof Error ? { kind: "failed", why: why.message } : { kind: "ended" };
}

/**
 * Stops parts one after the other, whether or not another could be stopped. Node 22 has no
 * `AsyncDisposableStack`.
 */
async function stopAll(parts: readonly AsyncDisposable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) {
    try {
      await part[Symbol.asyncDispose]();
    } catch (failure) {
      failures.push(failure);
    }
  }
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
}

/** Makes a part that only does something at its place in the start and has nothing to stop. */
export function begun(name: string, begin: () => void): Part {
  return {
    name,
    async start() {
      begin();
      return stoppedBy(() => {});
    },
  };
}

/** Makes a part that runs already and only has to stop at its place in the shutdown. */
export function stopped(name: string, stop: () => Promise<void> | void): Part {
  return { name, start: async () => stoppedBy(stop) };
}

export function stoppedBy(stop: () => Promise<void> | void): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => stop() };
}

/** Returns the opened part, or rejects with `CannotStart`. */
export function orCannotStart<T extends { readonly ok: true }>(
  opened: T | { readonly ok: false; readonly why: string },
): T {
  if (!opened.ok) throw new CannotStart(opened.why);
  return opened;
}
