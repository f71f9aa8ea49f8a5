/**
 * Builds programs that tests need, once, from their published Go modules, into a cache outside the
 * repository. Several tests may want the same program, so a lock lets only one of them build. A
 * build may be interrupted, so a program gets its name only when it is complete.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

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
export async function build(folder: string, module: string, name: string, flags: readonly string[], source: string) {
  await go(module, `building ${name}`, ["build", "-v", ...flags, "-o", join(module, name), source]);
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
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=mod", ...more };
  const child = spawn("go", args, { cwd: module, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  let complaints = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const say = () => {
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stderr.write(`tools: ${doing}, ${seconds} s, ${complaints.split("\n").length - 1} steps\n`);
  };
  say();
  const progress = setInterval(say, 5_000);
  try {
    const code = await new Promise((done, fail) => child.once("error", fail).once("close", done));
    if (code !== 0)
      throw new Error(`${doing} failed: go ${args.join(" ")}\n${complaints.split("\n").slice(-20).join("\n")}`);
    return printed;
  } finally {
    clearInterval(progress);
  }
}

/**
 * Waits while another process builds under the same lock. Returns the function that releases it.
 * `flock` holds the lock as long as its input is open. So a process that dies releases it as well,
 * and no file is left over that somebody would have to judge.
 */
export async function lock(file: string): Promise<() => void> {
  const holder = spawn("flock", [file, "sh", "-c", "echo locked; exec cat"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = setInterval(() => process.stderr.write("tools: waiting for another build\n"), 5_000);
  try {
    await new Promise((locked, fail) => {
      holder.once("error", fail).once("exit", () => fail(new Error(`flock could not lock ${file}`)));
      holder.stdout.once("data", locked);
    });
  } finally {
    clearInterval(waiting);
  }
  return () => void holder.stdin.end();
}

export function hasGo(): boolean {
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
