import { readFileSync } from "node:fs";

/**
 * Returns the options that the image's program gives Node, without the one that depends on the
 * machine.
 */
export function imageOptions(): readonly string[] {
  const source = readFileSync(new URL("../../../image/init/launch.c", import.meta.url), "utf8");
  const list = /node_options\[\] = \{([^}]*)\}/.exec(source)![1]!;
  return [...list.matchAll(/"(--[^"]+)"/g)].map(([, option]) => option!);
}
