/**
 * A file system in memory: the content of a layer of the image. Packages are read into it and it is
 * written out as a tar archive, so building needs no root, and owners and modes do not depend on
 * the machine.
 */
import { spawn } from "node:child_process";
import { buffer } from "node:stream/consumers";
import { extract, pack } from "tar-stream";

export type Entry =
  | {
      readonly kind: "file";
      readonly mode: number;
      readonly body: Buffer;
      readonly owner?: Owner;
      readonly capability?: Buffer;
    }
  | { readonly kind: "link"; readonly to: string }
  | { readonly kind: "folder"; readonly mode: number; readonly owner?: Owner };
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Entries by path, without a slash in front. */
export type Tree = Map<string, Entry>;

export const file = (text: string | Buffer, mode = 0o644): Entry => ({
  kind: "file",
  mode,
  body: Buffer.from(text as string),
});
export const link = (to: string): Entry => ({ kind: "link", to });
export const folder = (mode = 0o755, owner?: Owner): Entry => ({ kind: "folder", mode, ...(owner ? { owner } : {}) });

/**
 * Folders at the root that Debian has merged into /usr; older packages still have files in them.
 */
const merged = /^(bin|sbin|lib|lib64)(?=\/)/;
const mergedLink = /^(bin|sbin|lib|lib64)$/;

/**
 * Reads a tar archive, the output of a command, into a tree; `keep` returns the path of a file, or
 * nothing if it is left out.
 */
export async function readArchive(
  command: readonly [string, ...string[]],
  tree: Tree,
  keep: (path: string) => string | undefined,
): Promise<void> {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  const archive = child.stdout.pipe(extract());
  for await (const entry of archive) {
    const { name, type, mode = 0o755, linkname } = entry.header;
    const source = normal(name);
    const path = source === "" ? undefined : keep(source);
    if (path === undefined || type === "directory") entry.resume();
    else if (type === "symlink") tree.set(path, link(linkname!));
    else if (type === "link") tree.set(path, tree.get(keep(normal(linkname!)) ?? "") ?? missing(linkname!));
    else if (type === "file") tree.set(path, file(await buffer(entry), mode & 0o755));
    if (type !== "file") entry.resume();
  }
  if ((await ended) !== 0) throw new Error(`${command.join(" ")} failed.`);
}

function missing(path: string): never {
  throw new Error(`An archive has a hard link to ${path}, which was left out.`);
}

/**
 * Returns a path without the slash and dots in front of it. The result is empty for the root and
 * for the links that the image makes itself.
 */
const normal = (name: string): string =>
  name
    .replace(/^\.?\//, "")
    .replace(/\/$/, "")
    .replace(mergedLink, "")
    .replace(merged, (top) => `usr/${top}`);

/**
 * Returns a tar archive of the tree. It is sorted and names every folder, all times are zero, and
 * the owner is root if no other is named.
 */
export async function writeArchive(tree: Tree): Promise<Buffer> {
  const archive = pack();
  const bytes = buffer(archive);
  const epoch = new Date(0);
  for (const [path, entry] of [...withFolders(tree)].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const owner = ("owner" in entry && entry.owner) || { uid: 0, gid: 0 };
    const common = { ...owner, mtime: epoch };
    if (entry.kind === "folder") archive.entry({ ...common, name: `${path}/`, type: "directory", mode: entry.mode });
    else if (entry.kind === "link")
      archive.entry({ ...common, name: path, type: "symlink", mode: 0o777, linkname: entry.to });
    else {
      const pax = entry.capability
        ? { pax: { "SCHILY.xattr.security.capability": entry.capability.toString("latin1") } }
        : {};
      archive.entry({ ...common, ...pax, name: path, type: "file", mode: entry.mode }, entry.body);
    }
  }
  archive.finalize();
  return bytes;
}

function withFolders(tree: Tree): Tree {
  const whole: Tree = new Map(tree);
  for (const path of tree.keys()) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const parent = path.slice(0, at);
      if (whole.has(parent)) break;
      whole.set(parent, folder());
    }
  }
  return whole;
}
