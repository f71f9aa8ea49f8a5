/** All that could grow in a controller and its nginx while only so much is there to be served. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { pssMegabytes } from "../bench/support/cpu.ts";
import { request } from "../nginx/support/request.ts";
import type { LiveObjects } from "./live-objects.ts";

/** What is measured, and by how much it may rise before that is called growth. */
export const tolerated = {
  /**
   * Of Events the last 4,096 are remembered, and 20 minutes have fewer: they come to 2 MB. A
   * Snapshot kept each turn is 60.
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
 * Of the controller `pid` with its run folder. Undefined where a worker ended while it was looked
 * at.
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

/** Their bytes. */
function filesIn(folder: string): number[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() ? [found.size] : [];
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
