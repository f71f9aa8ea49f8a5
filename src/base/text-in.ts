import { readFileSync } from "node:fs";

/** Returns a file's text, or an empty one if it cannot be read: a process may have ended, say. */
export function textIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
