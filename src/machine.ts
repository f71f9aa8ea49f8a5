/** What the template must know of this machine: asked here, once, from the capabilities of nginx, the system and the flags. */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { availableParallelism, networkInterfaces, userInfo } from "node:os";
import { luaFolder } from "./controller.ts";
import type { Capabilities, RunFolder } from "./nginx/index.ts";
import type { Machine, Ports, RequestCounts } from "./render/machine.ts";

export interface MachineFlags {
  readonly mode: "dynamic" | "static";
  readonly ports: Ports;
  readonly healthPath: string;
  readonly passthrough: boolean;
  readonly counts: RequestCounts | undefined;
  /** Where nginx's logs go: `stderr` of a terminal, files or devices elsewhere. */
  readonly accessLog: string;
  readonly errorLog: string;
}

export function machineOf(capabilities: Capabilities, folder: RunFolder, flags: MachineFlags): Machine {
  const { ports } = flags;
  return {
    capabilities,
    around: {
      cpus: availableCpus(),
      openFiles: openFileLimit(),
      ipv6: hasIpv6(),
      nameservers: nameservers(),
      backlog: backlog(),
      ports: { http: ports.http, https: ports.https, behindPassthrough: undefined },
      accessLog: flags.accessLog,
      errorLog: flags.errorLog,
      files: {
        dhParam: undefined,
        ticketKey: undefined,
        telemetry: `${folder.include}/telemetry.toml`,
        modsecurityRules: "/etc/nginx/modsecurity/modsecurity.conf",
        owaspRules: "/etc/nginx/owasp-modsecurity-crs/nginx-modsecurity.conf",
        geoipDatabases: [],
      },
    },
    modules: capabilities.modules,
    user: process.getuid?.() === 0 ? userInfo().username : undefined,
    mode: capabilities.lua ? flags.mode : "static",
    ports,
    healthPath: flags.healthPath,
    passthrough: flags.passthrough && capabilities.streamSslPreread,
    counts: flags.counts,
    paths: {
      root: folder.root,
      temp: folder.temp,
      controlSocket: folder.controlSocket,
      sockets: folder.sockets,
      tlsSocket: `${folder.sockets}/tls.sock`,
      journal: folder.journal,
      lua: luaFolder,
    },
  };
}

/** CPUs the container may use, rounded up: the quota of cgroup v2, else all there are (process contract I 72). */
function availableCpus(): number {
  const [quota, period] = (contentOf("/sys/fs/cgroup/cpu.max") ?? "max").split(" ").map(Number);
  const all = availableParallelism();
  return Number.isFinite(quota) && period ? Math.min(all, Math.ceil(quota! / period)) : all;
}

/** The hard limit of this process, which nginx inherits. */
function openFileLimit(): number {
  const limit = /^Max open files\s+\S+\s+(\d+)/m.exec(contentOf("/proc/self/limits") ?? "")?.[1];
  return limit === undefined ? 65_536 : Math.min(Number(limit), 1_048_576);
}

/** The kernel's longest queue of connections; nginx's own default where it is shorter (process contract F 50). */
function backlog(): number {
  const longest = Number(contentOf("/proc/sys/net/core/somaxconn") ?? 511);
  return longest < 512 ? 511 : longest;
}

function nameservers(): string[] {
  const lines = (contentOf("/etc/resolv.conf") ?? "").matchAll(/^\s*nameserver\s+(\S+)/gm);
  return [...lines].map(([, address]) => address!.replace(/%.*/, "")).filter((address) => isIP(address) !== 0);
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** As process contract I 71: not disabled, and some interface has an IPv6 address (loopback counts). */
function hasIpv6(): boolean {
  if (contentOf("/proc/sys/net/ipv6/conf/all/disable_ipv6") !== "0") return false;
  if (contentOf("/proc/net/if_inet6") === undefined) return false;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ family }) => family === "IPv6"));
}
