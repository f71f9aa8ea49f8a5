/**
 * Finds files that another program has planted in a run folder: a link, which would redirect a
 * write of Sluice or nginx; a folder in place of a file; a file in place of a socket. The folder
 * may come with a checkout or a volume, so it is checked before its use.
 */
import { type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { RunFolder } from "./paths.ts";

/**
 * Returns why the folder cannot be used; undefined if it can. A missing file does not matter.
 */
export function plantedIn(folder: RunFolder): string | undefined {
  for (const path of foldersOf(folder)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isDirectory()) return `${nameIn(folder, path)} exists and is not a folder`;
  }
  for (const path of filesOf(folder)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) return `${nameIn(folder, path)} exists and is not a plain file`;
  }
  for (const entry of entriesOf(folder.sockets))
    if (!entry.isSocket()) return `${nameIn(folder, join(folder.sockets, entry.name))} exists and is not a socket`;
  const { tls, auth, include, data, keys, logs, html, temp } = folder;
  for (const path of [tls, auth, include, data, keys, logs, html, temp]) {
    const link = entriesOf(path, path !== folder.temp).find((entry) => isLink(entry, path === folder.logs));
    if (link !== undefined)
      return `${nameIn(folder, join(link.parentPath, link.name))} is a link, which is not followed`;
  }
  return undefined;
}

export const foldersOf = (folder: RunFolder): readonly string[] => {
  const { tls, auth, include, temp, logs, html, sockets, keys, data } = folder;
  return [tls, auth, include, temp, logs, html, sockets, keys, data];
};

/** Returns all files of the folder, including the temporary names under which they are written. */
function filesOf(folder: RunFolder): readonly string[] {
  const { conf, candidateConf, trialConf, refusedConf, lastGoodConf, pid, instance, emergencies, upstreamErrors } =
    folder;
  const { lock, nginxLock, token, controllerPass, nginxPass, journal } = folder;
  const texts = [conf, candidateConf, trialConf, refusedConf, lastGoodConf, pid, instance, emergencies, upstreamErrors];
  const whole = [...texts, lock, nginxLock, token, controllerPass, nginxPass, journal, join(folder.data, "state.json")];
  return whole.flatMap((path) => [path, `${path}.new`]);
}

/** Whether the entry is a link. A log may be a link to a device, as in containers. */
function isLink(entry: Dirent, mayBeDevice: boolean): boolean {
  if (!entry.isSymbolicLink()) return false;
  const target = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
  return !mayBeDevice || target === undefined || target.isFile() || target.isDirectory();
}

function entriesOf(path: string, recursive = true): readonly Dirent[] {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined
    ? []
    : readdirSync(path, { recursive, withFileTypes: true });
}

const nameIn = ({ root }: RunFolder, path: string): string => relative(root, path) || basename(path);
