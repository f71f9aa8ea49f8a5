/** CPU time and memory of processes, from /proc. */
import { readdirSync, readFileSync } from "node:fs";

/**
 * CPU time of these processes so far, in microseconds of user and system time; the kernel keeps it
 * in nanoseconds.
 */
export function cpuMicroseconds(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000,
    0,
  );
}

/**
 * The CPU time of a process so far, with all its threads, in ms; the kernel counts in hundredths of
 * a second.
 */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/**
 * The CPU time so far of these processes and of their children that have ended, in ms. A test of
 * nginx.conf and a worker that a reload has ended belong to it.
 */
export function cpuMsWithEnded(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return sum + 10 * [11, 12, 13, 14].reduce((ticks, at) => ticks + Number(fields[at]), 0);
  }, 0);
}

/** A process and all that it has started, such as nginx and its workers. */
export function familyOf(pid: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const of = (one: number): number[] => [one, ...(children.get(one) ?? []).flatMap(of)];
  return of(pid);
}

/** Undefined where the process has ended meanwhile. */
function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[1]);
  } catch {
    return undefined;
  }
}

/**
 * All pages of a process that are in memory, in MB of 2^20 bytes: what it takes where no other
 * process runs the same program.
 */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^Rss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

/**
 * Proportional set size of a process, in MB of 2^20 bytes: pages that n processes share count a nth
 * for each.
 */
export function pssMegabytes(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
