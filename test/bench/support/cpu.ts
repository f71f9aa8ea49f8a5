/** CPU time and memory of processes, from /proc. */
import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns the CPU time of these processes so far, user and system together, in microseconds. The
 * kernel keeps it in nanoseconds.
 */
export function cpuMicroseconds(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000,
    0,
  );
}

/**
 * Returns the CPU time of a process so far, with all its threads, in ms. The kernel counts in
 * hundredths of a second.
 */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/**
 * Returns the CPU time so far of these processes and of their children that have ended, in ms. The
 * children are tests of nginx.conf, and workers that a reload has ended.
 */
export function cpuMsWithEnded(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return sum + 10 * [11, 12, 13, 14].reduce((ticks, at) => ticks + Number(fields[at]), 0);
  }, 0);
}

/** Returns a process and all that it has started, such as nginx and its workers. */
export function familyOf(pid: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const of = (one: number): number[] => [one, ...(children.get(one) ?? []).flatMap(of)];
  return of(pid);
}

/** Returns undefined if the process has ended. */
function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[1]);
  } catch {
    return undefined;
  }
}

/**
 * Returns the size of all pages of a process that are in memory, in MB of 2^20 bytes. It is the
 * memory that the process needs if no other one runs the same program.
 */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^Rss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

/**
 * Returns the proportional set size of a process, in MB of 2^20 bytes: a page that n processes
 * share counts 1/n for each.
 */
export function pssMegabytes(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
