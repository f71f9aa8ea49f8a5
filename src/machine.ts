/** What the template must know of the machine, from the capabilities of nginx, the place where it runs, and the flags. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Capabilities, Place, RunFolder } from "./nginx/index.ts";
import type { Machine, Ports, RequestCounts } from "./render/machine.ts";

export interface MachineFlags {
  readonly mode: "dynamic" | "static";
  readonly ports: Ports;
  readonly healthPath: string;
  readonly passthrough: boolean;
  readonly counts: RequestCounts | undefined;
  /** Files of MaxMind databases, those that are not there as well. */
  readonly geoipDatabases: readonly string[];
  /** Where nginx's logs go: `stderr` of a terminal, files or devices elsewhere. */
  readonly accessLog: string;
  readonly errorLog: string;
  readonly talkative: boolean;
}

/** Where the Lua is: beside the sources, or beside the compiled files. */
export const luaFolder = fileURLToPath(new URL("../nginx/lua", import.meta.url));

export function machineOf(capabilities: Capabilities, place: Place, folder: RunFolder, flags: MachineFlags): Machine {
  const { ports } = flags;
  const { cpus, openFiles, ipv6, nameservers, backlog, user } = place;
  return {
    capabilities,
    around: {
      ...{ cpus, openFiles, ipv6, nameservers, backlog },
      ports: { http: ports.http, https: ports.https, behindPassthrough: undefined },
      accessLog: flags.accessLog,
      errorLog: flags.errorLog,
      talkative: flags.talkative,
      files: {
        dhParam: undefined,
        ticketKey: undefined,
        telemetry: `${folder.include}/telemetry.toml`,
        modsecurityRules: firstOf("/etc/nginx/modsecurity/modsecurity.conf", "/etc/nginx/modsecurity.conf"),
        owaspRules: "/etc/nginx/owasp-modsecurity-crs/nginx-modsecurity.conf",
        geoipDatabases: flags.geoipDatabases.filter((file) => existsSync(file)),
      },
    },
    modules: capabilities.modules,
    user,
    mode: capabilities.lua ? flags.mode : "static",
    ports,
    healthPath: flags.healthPath,
    passthrough: flags.passthrough && capabilities.streamSslPreread,
    counts: flags.counts,
    paths: {
      root: folder.root,
      temp: folder.temp,
      controlSocket: folder.controlSocket,
      controllerPass: folder.controllerPass,
      nginxPass: folder.nginxPass,
      sockets: folder.sockets,
      tlsSocket: `${folder.sockets}/tls.sock`,
      journal: folder.journal,
      lua: luaFolder,
    },
    nameKey: folder.nameKey,
    luaVersion: luaVersion(),
  };
}

/** An nginx that an older Sluice left serving has the older Lua, until it is reloaded. */
function luaVersion(): string {
  const sum = createHash("sha256");
  const files = readdirSync(luaFolder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) sum.update(readFileSync(path));
  return sum.digest("hex");
}

/** The path that is there, of ingress-nginx's image or of Debian's packages; the first where none is, for nginx to name it. */
function firstOf(...paths: readonly [string, ...string[]]): string {
  return paths.find((path) => existsSync(path)) ?? paths[0];
}
