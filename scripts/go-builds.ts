/**
 * Builds programs that tests need, once, from their published Go modules, into a cache outside the
 * repository. Several tests may want the same program, so a lock lets only one of them build. A
 * build may be interrupted, so a program gets its name only when it is complete.
 */
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { execa, execaSync } from "execa";

/** Returns the folder of all programs; each set of versions has a folder of its own in it. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  return env.SLUICE_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sluice");
}

/**
 * Go builds only inside a module. Each build gets a new one, so that a failed earlier build has no
 * effect on it.
 */
export function scratchModule(folder: string, name: string): string {
  const module = join(folder, `build-${name}`);
  rmSync(module, { recursive: true, force: true });
  mkdirSync(module);
  writeFileSync(join(module, "go.mod"), `module ${name}\ngo 1.26.0\n`);
  return module;
}

/** A program gets its name only when it is complete, so an interrupted build is never used. */
export async function build(
  folder: string,
  module: string,
  name: string,
  flags: readonly string[],
  source: string,
  more: Readonly<Record<string, string>> = {},
) {
  await go(module, `building ${name}`, ["build", "-v", ...flags, "-o", join(module, name), source], more);
  renameSync(join(module, name), join(folder, name));
}

/**
 * Runs Go and returns its output. Every five seconds it prints that Go still runs. `more` are
 * variables such as the version of Go.
 */
export async function go(
  module: string,
  doing: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const started = performance.now();
  const env = { CGO_ENABLED: "0", GOFLAGS: "-mod=mod", ...more };
  const running = execa("go", args, { cwd: module, env, stdin: "ignore", reject: false });
  let steps = 0;
  running.stderr.on("data", (text: Buffer) => (steps += String(text).split("\n").length - 1));
  const say = () => {
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stderr.write(`tools: ${doing}, ${seconds} s, ${steps} steps\n`);
  };
  say();
  const progress = setInterval(say, 5_000);
  const { failed, shortMessage, stdout, stderr } = await running;
  clearInterval(progress);
  if (failed) throw new Error(`${doing} failed: ${shortMessage}\n${stderr.split("\n").slice(-20).join("\n")}`);
  return stdout;
}

/**
 * Waits while another process builds under the same lock. Returns the function that releases it.
 * `flock` holds the lock as long as its input is open. So a process that dies releases it as well,
 * and no file is left over that somebody would have to judge.
 */
export async function lock(file: string): Promise<() => void> {
  const options = { stderr: "inherit", reject: false } as const;
  const holder = execa("flock", [file, "sh", "-c", "echo locked; exec cat"], options);
  const waiting = setInterval(() => process.stderr.write("tools: waiting for another build\n"), 5_000);
  const ended = holder.then(({ shortMessage }) => {
    throw new Error(`flock could not lock ${file}: ${shortMessage}`);
  });
  try {
    await Promise.race([once(holder.stdout, "data"), ended]);
  } finally {
    clearInterval(waiting);
    ended.catch(() => {});
  }
  return () => void holder.stdin.end();
}

export const hasGo = (): boolean => !execaSync("go", ["version"], { stdio: "ignore", reject: false }).failed;
