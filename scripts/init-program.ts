/**
 * The image's process 1 as a program of this machine, for tests that need no image. The machine's C
 * compiler compiles it from image/init into the cache, once for each state of its source.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { cacheFolder } from "./go-builds.ts";

const source = join(import.meta.dirname, "../image/init/sluice-init.c");

/** Returns the path of the compiled `sluice-init`; throws a sentence when there is no compiler. */
export function initProgram(): string {
  const hash = createHash("sha256").update(readFileSync(source));
  const folder = join(cacheFolder(process.env), `init-${hash.digest("hex").slice(0, 16)}`);
  const program = join(folder, "sluice-init");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const draft = `${program}.${process.pid}`;
  try {
    execaSync("cc", ["-O2", "-Wall", "-Wextra", "-Werror", "-o", draft, source], { stdio: "inherit" });
  } catch (cause) {
    throw new Error("image/init needs a C compiler for its tests: install gcc and libc6-dev.", { cause });
  }
  renameSync(draft, program);
  return program;
}
