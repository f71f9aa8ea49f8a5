/**
 * Builds programs that tests need, once, from their published Go modules, into a cache outside the
 * repository. Several tests may want the same program, so a lock lets only one of them build. A
 * build may be interrupted, so a program gets its name only when it is complete.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

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

/** Runs Go and returns its output. Every five seconds it prints that Go still runs. */
export async function go(module: string, doing: string, args: readonly string[]): Promise<string> {
  const started = performance.now();
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=mod" };
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
 * Waits while another living process builds into the same folder. Returns the function that
 * releases the lock.
 */
export async function lock(file: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      return () => rmSync(file, { force: true });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    }
    if (!isAlive(file)) rmSync(file, { force: true });
    else process.stderr.write("tools: waiting for another build\n");
    await sleep(3_000);
  }
}

function isAlive(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return true;
  } catch {
    return false;
  }
}

export function hasGo(): boolean {
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
