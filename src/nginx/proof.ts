/**
 * Finds out whether a reload has worked. nginx does not answer a HUP: it may refuse the text, fail
 * to bind a port, or run out of memory, and go on with the old workers. So the new generation is
 * live when all old workers have got the signal to end (only then does no connection reach them)
 * and the control socket answers with the new configuration's hash.
 *
 * nginx's master starts the new workers, sleeps 100 ms in the hope that they are up by then, and
 * signals the old ones to end. This code sees the new workers earlier. Once they are as many as the
 * old ones, and all old ones are still there, none of the new ones can be a replacement for a
 * worker that died. Then this code signals the old ones at once. The master signals them again,
 * which changes nothing. Between the HUP and its own signal the master handles no signals, so it
 * does not mistake an old worker that has ended for one that died. In all other cases, such as
 * fewer workers in the new text, the master alone signals them.
 *
 * The master may replace a worker that dies right before the HUP by one with the text before, whose
 * process id was not noted. Until that one has been signalled too, more workers accept connections
 * than the new text starts.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Control } from "./control.ts";
import type { RunFolder } from "./folder/paths.ts";
import { signal as sendSignal } from "./orphans.ts";
import { nginxProcesses } from "./process/processes.ts";
import { type StartFailure, startFailure } from "./process/start-failure.ts";

export type Proof = { readonly live: true } | NotLive;

/** `failure` is nginx's own message. If nginx logged none in time, only `why` is known. */
export interface NotLive {
  readonly live: false;
  readonly why: string;
  readonly failure?: StartFailure;
}

export interface Expected {
  readonly generation: string;
  /** All workers of the previous text. */
  readonly oldWorkers: readonly number[];
  /** The number of workers that the new text starts; undefined if nginx decides it. */
  readonly workers: number | undefined;
  /** The length of the emergency log before the reload, in bytes. */
  readonly emergenciesBefore: number;
  readonly limitMs: number;
}

/** Waits for the proof that `expected` is live, or for a sign that it never will be. */
export async function proveLive(
  { folder, control }: { readonly folder: RunFolder; readonly control: Control },
  expected: Expected,
  signal: AbortSignal,
): Promise<Proof> {
  const deadline = performance.now() + expected.limitMs;
  let isReminded = false;
  let left = expected.oldWorkers.length;
  while (performance.now() < deadline && !signal.aborted) {
    const printed = readFileSync(folder.emergencies).subarray(expected.emergenciesBefore).toString();
    const failure = startFailure(printed);
    if (failure !== undefined) return { live: false, why: `${failure.sentence}.`, failure };
    const { old, fresh } = workersIn(folder, expected);
    left = old.length + Math.max(0, fresh.length - (expected.workers ?? fresh.length));
    if (left === 0) {
      if ((await control.generation()) === expected.generation) return { live: true };
    } else if (!isReminded && old.length === expected.oldWorkers.length && fresh.length >= old.length) {
      for (const pid of old) sendSignal(pid, "SIGQUIT");
      isReminded = true;
    }
    await delay(5);
  }
  if (signal.aborted) return { live: false, why: "The wait for nginx to take the configuration was cut short." };
  const others = `${left} workers of the one before still accept connections`;
  const why = left > 0 ? others : "its new workers do not answer";
  return { live: false, why: `nginx did not take the configuration within ${expected.limitMs} ms: ${why}.` };
}

/**
 * Returns the workers that have not got the signal to end: `old` ones have the previous text, and
 * `fresh` ones are all others.
 */
function workersIn(folder: RunFolder, { oldWorkers }: Expected) {
  const going = nginxProcesses(folder).filter(({ draining }) => !draining);
  const old = going.filter(({ pid }) => oldWorkers.includes(pid)).map(({ pid }) => pid);
  const fresh = going.filter(({ pid, role }) => role === "worker" && !oldWorkers.includes(pid)).map(({ pid }) => pid);
  return { old, fresh };
}
