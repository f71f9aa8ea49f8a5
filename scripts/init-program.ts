/**
 * The image's process 1 as a program of this machine, for tests that need no image. The machine's C
 * compiler compiles it from image/init into the cache, once for each state of its sources.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./go-builds.ts";

const sourceFolder = join(import.meta.dirname, "../image/init");

/** Returns the path of the compiled `sluice-init`; throws a sentence when there is no compiler. */
export function initProgram(): string {
  const sources = globSync("*.[ch]", { cwd: sourceFolder })
    .toSorted()
    .map((name) => join(sourceFolder, name));
  const hash = createHash("sha256");
  for (const source of sources) hash.update(readFileSync(source));
  const folder = join(cacheFolder(process.env), `init-${hash.digest("hex").slice(0, 16)}`);
  const program = join(folder, "sluice-init");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const draft = `${program}.${process.pid}`;
  const files = sources.filter((source) => source.endsWith(".c"));
  try {
    execFileSync("cc", ["-O2", "-Wall", "-Wextra", "-Werror", "-o", draft, ...files], { stdio: "inherit" });
  } catch (cause) {
    throw new Error("image/init needs a C compiler for its tests: install gcc and libc6-dev.", { cause });
  }
  renameSync(draft, program);
  return program;
}
