/** Creates the run folder, or returns one sentence about why it cannot be used. */
import { accessSync, chmodSync, constants, mkdirSync, realpathSync } from "node:fs";
import { relative } from "node:path";
import { fileError } from "../../base/file-errors.ts";
import { nameKeyIn } from "./name-key.ts";
import { pathsOf, type RunFolder } from "./paths.ts";
import { foldersOf, plantedIn } from "./planted.ts";
import { addUsualFiles } from "./usual-files.ts";

export type OpenedFolder =
  | { readonly ok: true; readonly folder: RunFolder }
  | { readonly ok: false; readonly why: string };

/**
 * The kernel's limit for the path of a Unix socket is 107 bytes, and the names of our sockets have
 * up to 32.
 */
const longestRoot = 107 - "/sockets/".length - 32;

/**
 * Creates the run folder at `path` if it is missing, and makes its folders private. Returns one
 * sentence if the folder cannot be used.
 */
export function openRunFolder(path: string): OpenedFolder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const folder = pathsOf(realpathSync(path));
    if (Buffer.byteLength(folder.root) > longestRoot) {
      const why = `its path is longer than ${longestRoot} bytes, which leaves no room for the names of unix sockets`;
      return { ok: false, why: `The run folder ${folder.root} cannot be used: ${why}.` };
    }
    const isReadOnly = mayNotWrite(folder.root);
    const planted = plantedIn(folder);
    if (planted !== undefined) return { ok: false, why: `The run folder ${folder.root} cannot be used: ${planted}.` };
    for (const one of foldersOf(folder)) {
      mkdirSync(one, { recursive: true });
      if (!isReadOnly) chmodSync(one, 0o700);
    }
    if (!isReadOnly) addUsualFiles(folder);
    return { ok: true, folder: { ...folder, nameKey: nameKeyIn(folder.keys) } };
  } catch (error) {
    const { path: at = path } = error as NodeJS.ErrnoException;
    const part = relative(path, at);
    return { ok: false, why: `The run folder ${path} cannot be used: ${part && `${part}: `}${fileError(error)}.` };
  }
}

/**
 * Whether the folder is on a read-only disk. An nginx that serves from it can still be taken over,
 * if the folder is complete. Throws if the folder cannot be used for another reason.
 */
function mayNotWrite(root: string): boolean {
  accessSync(root, constants.R_OK | constants.X_OK);
  try {
    accessSync(root, constants.W_OK);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EROFS") return true;
    throw error;
  }
}
