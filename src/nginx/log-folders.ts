/**
 * Folders of ingress-nginx's image in which nginx may write, and which settings, rules and snippets
 * name. The chart mounts empty volumes above them, because its containers have a read-only root.
 */
import { accessSync, constants, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { textIn } from "../base/text-in.ts";

const folders = ["/var/log/nginx", "/var/log/audit", "/tmp/nginx"];

/** Where ingress-nginx's nginx writes unless settings name other files. */
export const usualLogs = "/var/log/nginx";

/** Links of the image, with which the usual files lead to the log of the container. */
const links = { "access.log": "/dev/stdout", "error.log": "/dev/stderr" };

/**
 * Makes the folders again that an empty volume hides. A machine without such a volume is not
 * changed. A folder that exists may be a volume of the user, and its files are real files.
 */
export function makeLogFolders(mounts: ReadonlySet<string> = mountPoints(), root = "/"): void {
  for (const folder of folders) {
    if (!mounts.has(dirname(folder)) || mounts.has(folder)) continue;
    try {
      mkdirSync(join(root, folder));
      if (folder !== usualLogs) continue;
      for (const [name, to] of Object.entries(links)) symlinkSync(to, join(root, folder, name));
    } catch {
      // It exists, or the volume is read-only. nginx reports each file that it cannot open.
    }
  }
}

/**
 * Whether a volume of the user is mounted over the links. Then nginx writes real files there, for a
 * container beside it that reads them.
 */
export function hasLogVolume(mounts: ReadonlySet<string> = mountPoints(), root = "/"): boolean {
  if (!mounts.has(usualLogs)) return false;
  try {
    accessSync(join(root, usualLogs), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the paths at which something is mounted; none if the system does not list them. */
function mountPoints(): ReadonlySet<string> {
  const lines = textIn("/proc/self/mountinfo").split("\n");
  return new Set(lines.flatMap((line) => line.split(" ")[4] ?? []));
}
