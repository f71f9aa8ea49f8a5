/**
 * nginx in a container of its own, as two groups of processes on one run folder. Everything ends
 * with its test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import {
  type Nginx,
  type NginxEvent,
  type ReloadOutcome,
  type RunFolder,
  remoteNginx,
} from "../../../src/nginx/index.ts";
import { signal } from "../../../src/nginx/orphans.ts";
import { nginxProcesses } from "../../../src/nginx/process/processes.ts";
import { type ConfParts, rendered } from "./conf.ts";
import { installedNginx } from "./installed.ts";
import { temporaryFolder } from "./nginx.ts";
import { until } from "./until.ts";

/** How long to wait for a program to start. On a busy machine this takes many seconds. */
export const patienceMs = 60_000;
const program = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));

export interface Pod {
  readonly folder: RunFolder;
  readonly socket: string;
  /** Starts the program of nginx's container. */
  startProgram(...flags: readonly string[]): ChildProcess;
  /** Starts the controller's container. */
  startSide(): Promise<Side>;
}

export interface Side {
  readonly nginx: Nginx;
  readonly found: string;
  readonly events: readonly NginxEvent[];
  serve(parts: ConfParts): Promise<ReloadOutcome>;
}

export function newPod(): Pod {
  const folder = temporaryFolder();
  const socket = join(folder.sockets, "nginx.sock");
  onTestFinished(async () => {
    for (const { pid } of nginxProcesses(folder)) signal(pid, "SIGKILL");
    await until("no nginx", () => nginxProcesses(folder).length === 0);
    rmSync(folder.root, { recursive: true });
  });
  return {
    folder,
    socket,
    startProgram(...flags) {
      const args = [program, "nginx", `--nginx-socket=${socket}`, `--run-folder=${folder.root}`, ...flags];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
      // nginx inherits both pipes, and would block when one of them is full.
      child.stdout?.resume();
      child.stderr?.resume();
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    },
    startSide: () => startSide(folder, socket),
  };
}

async function startSide(folder: RunFolder, socket: string): Promise<Side> {
  const waiting = { limitMs: patienceMs, onWait: () => {}, signal: AbortSignal.timeout(patienceMs) };
  const found = await remoteNginx(socket, folder, waiting);
  if (!found.ok) throw new Error(found.why);
  const events: NginxEvent[] = [];
  const report = (event: NginxEvent) => void events.push(event);
  const opened = await found.nginx.open({ folder, endWithController: false, maxDraining: 4, report });
  if (!opened.ok) throw new Error(opened.why);
  const { nginx } = opened;
  onTestFinished(() => nginx.stop(0));
  const serve = async (parts: ConfParts) =>
    nginx.apply(rendered(folder, await installedNginx(), parts), new AbortController().signal);
  return { nginx, found: opened.found.kind, events, serve };
}

export async function ended(child: ChildProcess, name: NodeJS.Signals): Promise<number | null> {
  const gone = once(child, "exit");
  child.kill(name);
  return (await gone)[0] as number | null;
}
