/**
 * Ends nginx processes: all of them when nginx stops, and before a start the orphans of an earlier
 * master, because they use its ports. They get the signal to finish. A worker then closes its
 * listeners at once and completes its requests, so that no client loses its answer when the master
 * was killed.
 */
import { readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { callback } from "../base/callbacks.ts";
import type { RunFolder } from "./folder/paths.ts";
import { type NginxProcess, nginxProcesses } from "./process/processes.ts";

/**
 * Waits until no orphan listens any more, and resolves with the orphans that were found; some may
 * still be draining. Processes that listen after `limitMs` are killed. At the end it removes old
 * Unix sockets, because nginx cannot bind to an existing one.
 */
export async function endOrphans(folder: RunFolder, limitMs: number): Promise<readonly NginxProcess[]> {
  const found = nginxProcesses(folder);
  if (found.length > 0) await endListening(folder, limitMs);
  await removeStaleSockets(folder.sockets);
  return found;
}

async function endListening(folder: RunFolder, limitMs: number): Promise<void> {
  const listening = (): readonly NginxProcess[] => nginxProcesses(folder).filter(mayListen);
  await without(listening, limitMs, "SIGQUIT");
  await without(listening, 1_000, "SIGKILL");
}

/**
 * Resolves when no nginx of this folder is left. Processes with a request that lasts longer than
 * `limitMs` are killed.
 */
export async function endAll(folder: RunFolder, limitMs: number): Promise<void> {
  const left = (): readonly NginxProcess[] => nginxProcesses(folder);
  await without(left, limitMs, "SIGQUIT");
  await without(left, 1_000, "SIGTERM");
  await without(left, 1_000, "SIGKILL");
}

/** Sends `name` to a process that may have ended already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Whether the process may listen. A master that finishes closes its listeners together with its
 * workers, and then only waits for them.
 */
function mayListen(one: NginxProcess, _index: number, all: readonly NginxProcess[]): boolean {
  if (one.role !== "master") return !one.draining;
  const workers = all.filter(({ parent, role }) => parent === one.pid && role === "worker");
  return workers.length === 0 || workers.some(({ draining }) => !draining);
}

/**
 * Waits until `processes` returns none, for at most `limitMs`. It repeats the signal `name`,
 * because a master that has just started may hold a signal back until the next one comes.
 */
async function without(processes: () => readonly NginxProcess[], limitMs: number, name: NodeJS.Signals): Promise<void> {
  const began = performance.now();
  let sentAt = Number.NEGATIVE_INFINITY;
  for (let left = processes(); left.length > 0; left = processes()) {
    const now = performance.now();
    if (now - began > limitMs) return;
    if (now - sentAt > 200) {
      for (const one of left.filter(name === "SIGQUIT" ? needsOurSignal : () => true))
        signal(one.pid, nameFor(one, name));
      sentAt = now;
    }
    await delay(10);
  }
}

/**
 * Whether this program has to send the signal. A master signals its own workers, but orphans have
 * no master.
 */
function needsOurSignal(one: NginxProcess, _index: number, all: readonly NginxProcess[]): boolean {
  return !one.draining && !all.some(({ pid, role }) => pid === one.parent && role === "master");
}

/**
 * Returns the signal to send. A master that still reads its first configuration does not handle
 * SIGQUIT and would dump core.
 */
const nameFor = ({ role }: NginxProcess, name: NodeJS.Signals): NodeJS.Signals =>
  role === "starting" && name === "SIGQUIT" ? "SIGTERM" : name;

async function removeStaleSockets(folder: string): Promise<void> {
  for (const file of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, file.name);
    if (file.isSocket() && (await refuses(path))) rmSync(path, { force: true });
  }
}

function refuses(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
    socket.on(
      "connect",
      callback("the test of a socket", () => {
        socket.destroy();
        resolve(false);
      }),
    );
  });
}
