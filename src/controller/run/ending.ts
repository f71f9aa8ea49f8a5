/**
 * Decides when a program ends, and keeps the reason. The first SIGTERM, Ctrl-C or closed terminal
 * ends everything in order. A second one ends the program at once, and nginx with it if its
 * watchdog runs.
 */
import { callback } from "../../base/callbacks.ts";

export type EndingSignal = "SIGTERM" | "SIGINT" | "SIGHUP";

/**
 * nginx itself ends its last requests after worker-shutdown-timeout. This limit is for an nginx
 * that fails to do so.
 */
export const endOfPatienceMs = 3_600_000;

/** The usual exit code: 128 and the number of the signal. */
const exitCodes: Readonly<Record<EndingSignal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

const allSignals = Object.keys(exitCodes) as readonly EndingSignal[];

export class Ending {
  readonly #ended = Promise.withResolvers<string | Error>();
  readonly #controller = new AbortController();

  constructor() {
    // A bug may occur before the program waits for its end. The promise rejects later, too, so this
    // handler may ignore it.
    this.#ended.promise.catch(() => {});
  }

  /**
   * Resolves with the reason why the program ends: an Error when it cannot go on. Rejects with a
   * bug.
   */
  get ended(): Promise<string | Error> {
    return this.#ended.promise;
  }

  /** Aborted when the program is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the program ends because it cannot go on. */
  get isFailure(): boolean {
    return this.signal.reason instanceof Error;
  }

  /** Ends the program. Only the first reason counts. */
  because(why: string | Error): void {
    this.#ended.resolve(why);
    if (!this.signal.aborted) this.#controller.abort(why);
  }

  /** Ends the program because of a bug. */
  crash(bug: unknown): void {
    this.#ended.reject(bug);
  }
}

/**
 * Makes an Ending from the signals of the process. `hasty` are the signals that end the program at
 * once when they come second; others are then ignored.
 */
export function listenForEnding(host: NodeJS.Process, hasty: readonly EndingSignal[] = allSignals): Ending {
  const ending = new Ending();
  let first = true;
  const onSignal = callback("the end", (signal: NodeJS.Signals): void => {
    if (!first && hasty.includes(signal as EndingSignal)) host.exit(exitCodes[signal as EndingSignal]);
    first = false;
    ending.because(signal);
  });
  for (const signal of allSignals) host.on(signal, onSignal);
  return ending;
}
