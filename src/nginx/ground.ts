/**
 * Frees the ground for a new master: nginx processes that an earlier one left behind hold its ports. They are told to
 * finish, not to stop: a worker that was told so closes its listeners at once and then ends the requests it has, so a
 * master that was killed costs nobody an answer.
 */
import { readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { RunFolder } from "./folder.ts";
import { type NginxProcess, nginxProcesses } from "./processes.ts";

/**
 * Resolves with the processes that were in the way, once none of them listens any more; some may still be draining.
 * Whoever listens after `limitMs` is killed. Then removes the unix sockets nobody listens on: nginx will not bind over them.
 */
export async function clearGround(folder: RunFolder, limitMs: number): Promise<readonly NginxProcess[]> {
  const found = nginxProcesses(folder);
  for (const { pid } of found.filter(onItsOwn)) signal(pid, "SIGQUIT");
  const deadline = performance.now() + limitMs;
  let listening = found.filter(mayListen);
  while (listening.length > 0 && performance.now() < deadline) {
    await delay(10);
    listening = nginxProcesses(folder).filter(mayListen);
  }
  for (const { pid } of listening) signal(pid, "SIGKILL");
  await removeStaleSockets(folder.sockets);
  return found;
}

/** Nobody tells this process to end but us: a master does, for its workers. */
export function onItsOwn(one: NginxProcess, _index: number, all: readonly NginxProcess[]): boolean {
  return !one.draining && !all.some(({ pid, role }) => pid === one.parent && role === "master");
}

/** Sends `name` to a process that may be gone by now. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A master that was told to quit closes its listeners together with its workers, and then only waits for them. */
function mayListen(one: NginxProcess, _index: number, all: readonly NginxProcess[]): boolean {
  if (one.role !== "master") return !one.draining;
  const workers = all.filter(({ parent, role }) => parent === one.pid && role === "worker");
  return workers.length === 0 || workers.some(({ draining }) => !draining);
}

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
    socket.on("connect", () => {
      socket.destroy();
      resolve(false);
    });
  });
}
