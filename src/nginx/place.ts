/**
 * Describes the surroundings of this process: the CPUs and open files of its container, its
 * network, its account.
 */
import { closeSync, openSync } from "node:fs";
import { isIP } from "node:net";
import { availableParallelism, networkInterfaces, userInfo } from "node:os";
import { textIn } from "../base/text-in.ts";
import type { Place } from "../core/tokens/machine.ts";
import { hasLogVolume } from "./log-folders.ts";

/** Returns the Place of this process, and so of every nginx that it starts. */
export function placeHere(): Place {
  return {
    cpus: availableCpus(),
    openFiles: openFileLimit(),
    ipv6: hasIpv6(),
    nameservers: nameservers(),
    backlog: backlog(),
    user: process.getuid?.() === 0 ? userInfo().username : undefined,
    stdoutOpens: stdoutOpens(),
    logVolume: hasLogVolume(),
  };
}

function availableCpus(): number {
  return Math.min(availableParallelism(), cpuQuota(textIn) ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the number of CPUs that the container may use, rounded up: the quota of cgroup v2 or v1.
 * Returns undefined if there is none (process contract I 72).
 */
export function cpuQuota(read: (path: string) => string): number | undefined {
  const folder = "/sys/fs/cgroup";
  const older = ["quota", "period"].map((name) => read(`${folder}/cpu/cpu.cfs_${name}_us`).trim());
  const [quota = 0, period = 0] = (read(`${folder}/cpu.max`) || older.join(" ")).split(" ").map(Number);
  return quota > 0 && period > 0 ? Math.ceil(quota / period) : undefined;
}

/** Returns the hard limit of this process, which nginx inherits. */
function openFileLimit(): number {
  const limit = /^Max open files\s+\S+\s+(\d+)/m.exec(textIn("/proc/self/limits"))?.[1];
  return limit === undefined ? 65_536 : Math.min(Number(limit), 1_048_576);
}

/**
 * Returns the kernel's longest queue of connections, or nginx's own default if that is longer
 * (process contract F 50).
 */
function backlog(): number {
  const longest = Number(textIn("/proc/sys/net/core/somaxconn"));
  return longest < 512 ? 511 : longest;
}

function nameservers(): string[] {
  const lines = textIn("/etc/resolv.conf").matchAll(/^\s*nameserver\s+(\S+)/gm);
  return [...lines].map(([, address]) => address!.replace(/%.*/, "")).filter((address) => isIP(address) !== 0);
}

/**
 * Whether IPv6 is enabled, and some interface has an IPv6 address; loopback counts (process
 * contract I 71).
 */
function hasIpv6(): boolean {
  if (textIn("/proc/sys/net/ipv6/conf/all/disable_ipv6").trim() !== "0") return false;
  if (textIn("/proc/net/if_inet6") === "") return false;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ family }) => family === "IPv6"));
}

function stdoutOpens(): boolean {
  try {
    closeSync(openSync("/dev/stdout", "a"));
    return true;
  } catch {
    return false;
  }
}
