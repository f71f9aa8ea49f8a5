/**
 * One container as a process of this machine, with process ids and mounts of its own; it is started
 * again until it is stopped.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { signalled } from "../../support/signalled.ts";
import type { Mount } from "./pod-spec.ts";

export interface ContainedOptions {
  /** Words before the command that bring it into the Pod's network. */
  readonly enter: readonly string[];
  readonly mounts: readonly Mount[];
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Called with the container's output. */
  readonly write: (text: string) => void;
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
}

export interface Contained {
  /** Returns the id of its first process, while it has one. */
  first(): number | undefined;
  /** Stops the processes as a kubelet does: SIGTERM, and SIGKILL for one that takes too long. */
  stop(): Promise<void>;
}

export interface Process {
  readonly pid: number;
  readonly command: string;
}

const restartMs = 200;
const longestGraceMs = 60_000;

export function startContained(options: ContainedOptions): Contained {
  const { enter, mounts, command, env, write, graceMs = longestGraceMs } = options;
  const [program = "", ...args] = [...enter, ...apart(mounts), ...command];
  const start = () => {
    const one = execa(program, args, { env, reject: false, all: true, buffer: false, forceKillAfterDelay: false });
    one.all.setEncoding("utf8").on("data", write);
    return one;
  };
  let stopping = false;
  let running = start();
  const living = (async () => {
    while (!stopping) {
      await running;
      await sleep(restartMs);
      if (!stopping) running = start();
    }
  })();
  const first = () => childOf(running.pid);
  /**
   * Signals the first process. If there is none yet, or no longer, it kills `unshare` itself,
   * which passes no signal on.
   */
  const send = (signal: NodeJS.Signals) => {
    const answer = first();
    if (answer === undefined || !signalled(answer, signal)) running.kill("SIGKILL");
  };
  return {
    first,
    async stop() {
      stopping = true;
      const late = setTimeout(() => send("SIGKILL"), graceMs);
      send("SIGTERM");
      await living;
      clearTimeout(late);
    },
  };
}

/**
 * Folders below which volumes are mounted. Files that are created in them are visible only in the
 * container. /tmp is that of the machine.
 */
const overlaid = ["/etc", "/usr/local"];

function apart(mounts: readonly Mount[]): readonly string[] {
  const script = [
    "mount -t tmpfs tmpfs /run",
    ...overlaid.flatMap((path) => [
      `mkdir -p /run/over${path}/upper /run/over${path}/work`,
      `mount -t overlay overlay -o lowerdir=${path},upperdir=/run/over${path}/upper,workdir=/run/over${path}/work ${path}`,
    ]),
    ...mounts.filter(({ at }) => at !== "/tmp").map(({ at, from }) => `mkdir -p ${at} && mount --bind ${from} ${at}`),
    'exec "$@"',
  ];
  const spaces = ["--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc"];
  return ["unshare", ...spaces, "sh", "-ec", script.join("\n"), "sh"];
}

/**
 * `unshare` waits for the container's first process; until it has reaped that, its process id is
 * not reused.
 */
function childOf(pid: number | undefined): number | undefined {
  return Number(read(`/proc/${pid}/task/${pid}/children`).split(" ")[0]) || undefined;
}

/**
 * The processes that share a namespace of process ids with `first`. A child looks like its parent
 * until it has a title or a program of its own: it is none of them before that, or it would be
 * taken for another nginx master.
 */
export function processesBeside(first: number | undefined): readonly Process[] {
  const space = first === undefined ? undefined : spaceOf(String(first));
  if (space === undefined) return [];
  const found = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && spaceOf(name) === space)
    .map((name) => ({ pid: Number(name), command: read(`/proc/${name}/cmdline`).replaceAll("\0", " ") }));
  const commands = new Map(found.map(({ pid, command }) => [pid, command]));
  return found.filter(({ pid, command }) => commands.get(parentOf(pid)) !== command);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]);
}

function spaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

/** Returns an empty text if there is no file, because a process may end between two reads. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
