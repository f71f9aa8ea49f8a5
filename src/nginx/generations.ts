/**
 * Tracks generations of workers that are still finishing their requests. Each reload leaves one
 * behind until its longest request ends (for a websocket, until `worker_shutdown_timeout`), with
 * all its memory, so their number is limited.
 */
import type { RunFolder } from "./folder/paths.ts";
import { nginxProcesses } from "./process/processes.ts";

export interface Generations {
  /** The number of older generations that still have workers. */
  readonly draining: number;
  readonly drainingWorkers: number;
  /** Workers that accept connections. */
  readonly workers: number;
}

export class GenerationBook {
  readonly #folder: RunFolder;
  /** The workers of each generation that a reload replaced, oldest first. */
  #replaced: readonly (readonly number[])[] = [];

  constructor(folder: RunFolder) {
    this.#folder = folder;
  }

  /**
   * Returns the workers that accept connections, or are about to. While the master is idle, all of
   * them belong to the newest generation.
   */
  current(): readonly number[] {
    const workers = nginxProcesses(this.#folder).filter(({ role }) => role === "worker" || role === "forked");
    return workers.filter(({ draining }) => !draining).map(({ pid }) => pid);
  }

  /** Notes the workers that a reload has just replaced. */
  replaced(workers: readonly number[]): void {
    this.#replaced = [...this.#replaced, workers];
  }

  /**
   * Counts the generations. Draining workers of unknown generations, from before a takeover or a
   * crash, count as one.
   */
  look(): Generations {
    const workers = nginxProcesses(this.#folder).filter(({ role }) => role === "worker");
    const draining = new Set(workers.filter((one) => one.draining).map(({ pid }) => pid));
    this.#replaced = this.#replaced.filter((generation) => generation.some((pid) => draining.has(pid)));
    const known = new Set(this.#replaced.flat());
    const unknown = [...draining].some((pid) => !known.has(pid));
    return {
      draining: this.#replaced.length + (unknown ? 1 : 0),
      drainingWorkers: draining.size,
      workers: workers.length - draining.size,
    };
  }
}
