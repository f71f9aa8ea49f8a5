/**
 * Everything behind `--profiling`: the server, heap snapshots in the run folder, and Node's
 * inspector on SIGUSR1, which only the same account can send.
 */
import { chmod, readdir, rm } from "node:fs/promises";
import inspector from "node:inspector";
import { join } from "node:path";
import { writeHeapSnapshot } from "node:v8";
import { callback } from "../../base/callbacks.ts";
import type { OperatorToken } from "../operator-token.ts";
import { type OpenedProfiler, openProfiler } from "./server.ts";

export interface ProfilingOptions {
  readonly address: string;
  readonly port: number;
  readonly token: OperatorToken;
  /** The file of the heap snapshot; a new one replaces it. */
  readonly folder: string;
  /** Called when Node's inspector opens, with its address. */
  readonly inspected: (address: string | undefined) => void;
  readonly host: Pick<NodeJS.Process, "on" | "off">;
}

export async function startProfiling(options: ProfilingOptions): Promise<OpenedProfiler> {
  const { address, port, token, folder, inspected, host } = options;
  const opened = await openProfiler({ address, port, token, heapSnapshot: () => heapSnapshot(folder) });
  if (!opened.ok) return opened;
  const inspect = callback("the inspector", () => {
    if (inspector.url() === undefined) inspector.open(0, "127.0.0.1");
    inspected(inspector.url());
  });
  host.on("SIGUSR1", inspect);
  return {
    ok: true,
    close: async () => {
      host.off("SIGUSR1", inspect);
      if (inspector.url() !== undefined) inspector.close();
      await opened.close();
    },
  };
}

/**
 * Keeps Node's inspector closed: Node opens it on SIGUSR1 by itself, unless there is a listener for
 * the signal.
 */
export function withoutProfiling(host: Pick<NodeJS.Process, "on" | "off">): Extract<OpenedProfiler, { ok: true }> {
  const ignore = () => {};
  host.on("SIGUSR1", ignore);
  return { ok: true, close: async () => void host.off("SIGUSR1", ignore) };
}

/**
 * Writes a heap snapshot and returns its path. The whole process stops meanwhile, for a second or
 * two.
 */
async function heapSnapshot(folder: string): Promise<string> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(".heapsnapshot")) await rm(join(folder, name));
  }
  const path = join(folder, `${Date.now()}.heapsnapshot`);
  writeHeapSnapshot(path);
  await chmod(path, 0o600);
  return path;
}
