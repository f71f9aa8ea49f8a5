/**
 * The key that makes the names of nginx's own locations unguessable. It is kept across restarts,
 * because the records in the journal name these locations. Another key would only cost a reload.
 */
import { randomBytes } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../../base/text-in.ts";

/**
 * Returns the key in `folder`, and makes it if there is none. If the disk accepts no file, the
 * key lasts as long as this process.
 */
export function nameKeyIn(folder: string): string {
  const path = join(folder, "names");
  const known = /^([\da-f]{32})\n$/.exec(textIn(path))?.[1];
  if (known !== undefined) return known;
  const key = randomBytes(16).toString("hex");
  const written = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(written, `${key}\n`, { flag: "wx", mode: 0o600 });
    renameSync(written, path);
  } catch {
    return key;
  }
  return key;
}
