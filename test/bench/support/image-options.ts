import { readFileSync } from "node:fs";

/** Sets the variables for Node that the image's program sets, for programs started from here. */
export function setImageEnvironment(): void {
  for (const [, name, value] of launcher().matchAll(/setenv\("(\w+)", "(\w+)", 0\)/g)) process.env[name!] ??= value;
}

/**
 * Returns the options that the image's program gives Node, without the one that depends on the
 * machine.
 */
export function imageOptions(): readonly string[] {
  const list = /node_options\[\] = \{([^}]*)\}/.exec(launcher())![1]!;
  return [...list.matchAll(/"(--[^"]+)"/g)].map(([, option]) => option!);
}

const launcher = (): string => readFileSync(new URL("../../../image/init/launch.c", import.meta.url), "utf8");
