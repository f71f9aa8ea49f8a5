/**
 * How the program is told to end. The first SIGTERM, Ctrl-C or closed terminal ends everything in order; a second one ends
 * the program at once, and nginx with it where its watchdog holds it.
 */

export type EndingSignal = "SIGTERM" | "SIGINT" | "SIGHUP";

export interface Ending {
  /** Resolves with the first signal. */
  readonly told: Promise<EndingSignal>;
  /** Takes the signals back, for who goes on in the same process. */
  forget(): void;
}

/** nginx ends its last requests by itself, after the setting worker-shutdown-timeout; this is for one that does not. */
export const endOfPatienceMs = 3_600_000;

/** By custom, 128 and the number of the signal. */
const exitCodes: Readonly<Record<EndingSignal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

const allSignals = Object.keys(exitCodes) as readonly EndingSignal[];

/** `hasty` are the signals that end the program at once when they come second; others are then passed over. */
export function listenForEnding(host: NodeJS.Process, hasty: readonly EndingSignal[] = allSignals): Ending {
  const told = Promise.withResolvers<EndingSignal>();
  let first = true;
  const hear = (signal: NodeJS.Signals): void => {
    if (!first && hasty.includes(signal as EndingSignal)) host.exit(exitCodes[signal as EndingSignal]);
    first = false;
    told.resolve(signal as EndingSignal);
  };
  for (const signal of allSignals) host.on(signal, hear);
  return {
    told: told.promise,
    forget: () => {
      for (const signal of allSignals) host.off(signal, hear);
    },
  };
}
