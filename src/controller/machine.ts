/**
 * Makes the Machine from the capabilities of nginx, the place where it runs, the run folder, and
 * the flags.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shipped } from "../base/shipped.ts";
import type { Machine, Place } from "../core/tokens/machine.ts";
import type { Capabilities, RunFolder } from "../nginx/index.ts";

/** The flags on which the Machine depends. The list of MaxMind databases includes missing ones. */
export type MachineFlags = Pick<
  Machine,
  "mode" | "ports" | "healthPath" | "passthrough" | "counts" | "accessLog" | "errorLog" | "talkative"
> &
  Pick<Machine["files"], "geoipDatabases">;

/** The folder of the Lua modules. */
export const luaFolder = shipped("nginx/lua");

export function machineOf(capabilities: Capabilities, place: Place, folder: RunFolder, flags: MachineFlags): Machine {
  const { geoipDatabases, ...given } = flags;
  return {
    ...place,
    ...given,
    capabilities,
    modules: capabilities.modules,
    mode: capabilities.lua ? flags.mode : "static",
    passthrough: flags.passthrough && capabilities.streamSslPreread,
    files: {
      dhParam: undefined,
      ticketKey: undefined,
      telemetry: `${folder.include}/telemetry.toml`,
      modsecurityRules: firstOf("/etc/nginx/modsecurity/modsecurity.conf", "/etc/nginx/modsecurity.conf"),
      owaspRules: "/etc/nginx/owasp-modsecurity-crs/nginx-modsecurity.conf",
      geoipDatabases: geoipDatabases.filter((file) => existsSync(file)),
    },
    paths: {
      root: folder.root,
      temp: folder.temp,
      controlSocket: folder.controlSocket,
      controllerPass: folder.controllerPass,
      nginxPass: folder.nginxPass,
      sockets: folder.sockets,
      tlsSocket: `${folder.sockets}/tls.sock`,
      journal: folder.journal,
      upstreamErrors: folder.upstreamErrors,
      lua: luaFolder,
    },
    nameKey: folder.nameKey,
    luaVersion: luaVersion(),
  };
}

/**
 * Returns a hash of the Lua modules. An nginx that an older version of Sluice has started keeps the
 * older Lua until it is reloaded.
 */
function luaVersion(): string {
  const sum = createHash("sha256");
  const files = readdirSync(luaFolder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) sum.update(readFileSync(path));
  return sum.digest("hex");
}

/**
 * Returns the path that exists: that of ingress-nginx's image, or that of Debian's packages. If
 * none exists, it returns the first, so that nginx's error names it.
 */
function firstOf(...paths: readonly [string, ...string[]]): string {
  return paths.find((path) => existsSync(path)) ?? paths[0];
}
