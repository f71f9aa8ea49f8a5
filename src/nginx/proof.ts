/**
 * Whether a reload has taken. nginx answers a HUP with nothing: it may refuse the text, fail to bind a port, or run out
 * of memory, and go on with the old workers. So the new generation is live when the old workers have all been told to
 * end (only then does no connection reach them) and the control socket answers with the new configuration's hash.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { runningGeneration } from "./control.ts";
import type { RunFolder } from "./folder.ts";
import { nginxProcess } from "./processes.ts";
import { type StartFailure, startFailure } from "./start-failure.ts";

export type Proof = { readonly live: true } | NotLive;

/** `failure` is what nginx said about it; without one it said nothing in time, and `why` is all that is known. */
export interface NotLive {
  readonly live: false;
  readonly why: string;
  readonly failure?: StartFailure;
}

export interface Expected {
  readonly generation: string;
  /** The workers that accepted connections before. */
  readonly oldWorkers: readonly number[];
  /** Length of the emergency log before, in bytes. */
  readonly emergenciesBefore: number;
  readonly limitMs: number;
}

/** Waits for the proof that `expected` is live, or for a sign that it never will be. */
export async function proveLive(folder: RunFolder, expected: Expected, signal: AbortSignal): Promise<Proof> {
  const deadline = performance.now() + expected.limitMs;
  while (performance.now() < deadline && !signal.aborted) {
    const said = readFileSync(folder.emergencies).subarray(expected.emergenciesBefore).toString();
    const failure = startFailure(said);
    if (failure !== undefined) return { live: false, why: `${failure.sentence}.`, failure };
    if (expected.oldWorkers.every((pid) => acceptsNothing(pid, folder))) {
      if ((await runningGeneration(folder.controlSocket)) === expected.generation) return { live: true };
    }
    await delay(10);
  }
  if (signal.aborted) return { live: false, why: "The wait for nginx to take the configuration was cut short." };
  const left = expected.oldWorkers.filter((pid) => !acceptsNothing(pid, folder)).length;
  const why = left > 0 ? `${left} workers of the one before still accept connections` : "its new workers do not answer";
  return { live: false, why: `nginx did not take the configuration within ${expected.limitMs} ms: ${why}.` };
}

function acceptsNothing(pid: number, folder: RunFolder): boolean {
  const worker = nginxProcess(pid, folder.conf);
  return worker?.role !== "worker" || worker.draining;
}
