/**
 * The second error log of nginx, a file that only the controller reads. What is read is removed, so
 * the file stays small; the process that runs nginx removes it, too, while no controller reads it.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { readAndAppend } from "./folder/files.ts";

/** The most that is read at once. Of a flood of errors only the newest matter. */
const mostBytes = 64 * 1024;
const largest = 8 * 1024 * 1024;

/** Returns the newest whole lines, and empties the file. */
export function takeErrors(path: string): string {
  return withFile(path, (file, size) => {
    if (size === 0) return "";
    const start = Math.max(0, size - mostBytes);
    const bytes = Buffer.alloc(size - start);
    const length = readSync(file, bytes, 0, bytes.length, start);
    ftruncateSync(file);
    const text = bytes.toString("utf8", 0, length);
    return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
  });
}

/** Empties the file if it has become large. */
export function boundErrors(path: string): void {
  withFile(path, (file, size) => {
    if (size > largest) ftruncateSync(file);
  });
}

/** nginx appends to the file, so its next line stands at the beginning of an emptied file. */
function withFile<T>(path: string, work: (file: number, size: number) => T): T {
  const file = openSync(path, readAndAppend, 0o600);
  try {
    return work(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}
