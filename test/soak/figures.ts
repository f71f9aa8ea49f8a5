/**
 * Measures all figures of a controller and its nginx that could grow although the number of served
 * objects does not.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { pssMegabytes } from "../bench/support/cpu.ts";
import { request } from "../nginx/support/request.ts";
import type { LiveObjects } from "./live-objects.ts";

/** The measured figures, each with the rise from which it counts as growth. */
export const tolerated = {
  /**
   * The recorder keeps the last 4,096 Events, which come to 2 MB, and 20 minutes have fewer. A
   * Snapshot kept for each turn would be 60 MB.
   */
  "the controller's live objects, MB": 3,
  "the controller's memory, MB": 30,
  "the controller's descriptors": 4,
  "a worker's memory, MB": 3,
  "a worker's descriptors": 10,
  "worker processes": 2,
  "files in the run folder": 10,
  "the run folder, MB": 2,
  "shared memory in use, MB": 1,
} as const;

export type Figures = Readonly<Record<keyof typeof tolerated, number>>;

/**
 * Measures the controller `pid` with its run folder. Returns undefined if a worker ended during the
 * measurement.
 */
export async function figuresOf(pid: number, runFolder: string, live: LiveObjects): Promise<Figures | undefined> {
  const objects = await live.megabytes();
  const workers = nginxProcesses({ root: runFolder, conf: join(runFolder, "nginx.conf") }).filter(
    ({ role }) => role === "worker",
  );
  const serving = workers.filter(({ draining }) => !draining);
  const { body } = await request({ to: "127.0.0.1:10254", path: "/metrics" });
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]);
  const files = filesIn(runFolder);
  try {
    return {
      "the controller's live objects, MB": objects,
      "the controller's memory, MB": pssMegabytes(pid),
      "the controller's descriptors": descriptorsOf(pid),
      "a worker's memory, MB": mean(serving.map((worker) => pssMegabytes(worker.pid))),
      "a worker's descriptors": mean(serving.map((worker) => descriptorsOf(worker.pid))),
      "worker processes": workers.length,
      "files in the run folder": files.length,
      "the run folder, MB": files.reduce((sum, bytes) => sum + bytes, 0) / 1e6,
      "shared memory in use, MB":
        (metric("sluice_shared_memory_bytes") - metric("sluice_shared_memory_free_bytes")) / 1e6,
    };
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return undefined;
    throw error;
  }
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Returns the sizes of the files below the folder, in bytes. */
function filesIn(folder: string): number[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() ? [found.size] : [];
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
