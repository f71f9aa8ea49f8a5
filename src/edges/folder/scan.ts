/**
 * Lists the YAML files under a folder, each with a stamp that changes with its content. Symbolic
 * links are followed, because in a ConfigMap volume every file is a link into a hidden folder.
 * Hidden files and folders themselves are skipped.
 */
import { type BigIntStats, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { mostOfFolder } from "./limits.ts";

/** Files by path below the folder, sorted by it. */
export type Scan = ReadonlyMap<string, string>;

/** Returns an Error when the folder itself cannot be read. Unreadable files in it are left out. */
export function scanFolder(root: string): Scan | Error {
  const found: (readonly [string, string])[] = [];
  try {
    collect(root, "", found, new Set());
  } catch (error) {
    return error as Error;
  }
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function collect(root: string, below: string, found: (readonly [string, string])[], seen: Set<string>): void {
  const folder = join(root, below);
  const real = realpathSync(folder);
  if (seen.has(real)) return;
  seen.add(real);
  for (const name of below === "" ? readdirSync(folder) : namesIn(folder)) {
    if (name.startsWith(".")) continue;
    const path = below === "" ? name : `${below}/${name}`;
    const stat = statOf(join(root, path));
    if (stat?.isDirectory()) collect(root, path, found, seen);
    else if (found.length >= mostOfFolder.files) throw new Error(`it has more than ${mostOfFolder.files} files`);
    else if (stat?.isFile() && /\.(ya?ml|json)$/i.test(name)) found.push([path, stampOf(stat)]);
  }
}

/** Returns no names if the folder has disappeared meanwhile, or belongs to another account. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Returns undefined for a file that has disappeared meanwhile, and for links that lead nowhere or
 * to themselves.
 */
function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}
