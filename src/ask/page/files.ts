/**
 * Reads the files that the browser loads: the folder `ui` of the repository. They are small, so
 * they are read once.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { shipped } from "../../base/shipped.ts";

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

const folder = shipped("ui");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Returns the files by their path below the folder, such as `views/route.js`. Files that a browser
 * does not need are left out.
 */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (type === undefined || !entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 16)}"`;
    files.set(relative(folder, path), { type, bytes, etag });
  }
  return files;
}
