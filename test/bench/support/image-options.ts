import { readFileSync } from "node:fs";

const textOf = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");

/** Sets the variables for Node that the image sets, for programs started from here. */
export function setImageEnvironment(): void {
  const [, value] = /MALLOC_ARENA_MAX=(\w+)/.exec(textOf("Dockerfile"))!;
  process.env.MALLOC_ARENA_MAX ??= value;
}

/**
 * Returns the options that the image's program gives Node, without the one that depends on the
 * machine.
 */
export function imageOptions(): readonly string[] {
  const [line = ""] = textOf("image/programs/nginx-ingress-controller").split("\n");
  return line.split(" ").filter((word) => word.startsWith("--") && !word.startsWith("--max-old-space-size"));
}
