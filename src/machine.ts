/** What the template must know of this machine: asked here, once, from the capabilities of nginx, the system and the flags. */
import { readFileSync } from "node:fs";
import { availableParallelism, networkInterfaces, userInfo } from "node:os";
import { luaFolder } from "./controller.ts";
import type { Capabilities, RunFolder } from "./nginx/index.ts";
import type { Machine, Ports } from "./render/machine.ts";

export interface MachineFlags {
  readonly mode: "dynamic" | "static";
  readonly ports: Ports;
  readonly healthPath: string;
}

export function machineOf(capabilities: Capabilities, folder: RunFolder, flags: MachineFlags): Machine {
  return {
    capabilities,
    modules: capabilities.modules,
    user: process.getuid?.() === 0 ? userInfo().username : undefined,
    mode: capabilities.lua ? flags.mode : "static",
    http2: capabilities.http2,
    http2Directive: capabilities.http2Directive,
    ipv6: hasIpv6(),
    ports: flags.ports,
    healthPath: flags.healthPath,
    paths: {
      root: folder.root,
      temp: folder.temp,
      controlSocket: folder.controlSocket,
      journal: folder.journal,
      pid: folder.pid,
      lua: luaFolder,
    },
    cpus: availableParallelism(),
  };
}

/** As process contract I 71: not disabled, and some interface has an IPv6 address (loopback counts). */
function hasIpv6(): boolean {
  try {
    if (readFileSync("/proc/sys/net/ipv6/conf/all/disable_ipv6", "utf8").trim() === "1") return false;
    readFileSync("/proc/net/if_inet6");
  } catch {
    return false;
  }
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ family }) => family === "IPv6"));
}
