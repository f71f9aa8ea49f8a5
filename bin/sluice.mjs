#!/usr/bin/env node
/**
 * The command `sluice`, also as a plugin of kubectl. In the package of npm it starts the bundle in
 * `dist`, and in a checkout src/main.ts, in both from Node's cache of compiled code. A tool runs
 * for about a second, and without the cache half of that would be compilation. This file is plain
 * JavaScript that old versions of Node can read, so that they can say which version is needed.
 *
 * A checkout needs Node 24 and has it among its packages, so an older Node starts that one. The
 * cache is in a folder of the user's own, because its content is executed. If the folder is missing
 * or not writable, everything is compiled again.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = process.argv.slice(2);
const [major, minor] = process.versions.node.split(".").map(Number);

if (existsSync(join(root, "src"))) await startCheckout();
else if (major > 22 || (major === 22 && minor >= 19)) await start("../dist/main.js");
else fail(`it needs Node 22.19 or newer, and this is ${process.version}`);

async function startCheckout() {
  const own = join(root, "node_modules/.bin/node");
  const first = (why) => fail(`${why}; run npm install in ${root.replace(/\/$/, "")} first`);
  if (!existsSync(join(root, "node_modules"))) return first("its packages are not installed yet");
  if (major >= 24) return await start("../src/main.ts");
  if (!existsSync(own)) return first(`a checkout needs Node 24, and this is ${process.version}`);
  handOver(own, first);
}

async function start(main) {
  const { HOME, XDG_CACHE_HOME = HOME && join(HOME, ".cache") } = process.env;
  /** Programs that serve use no cache: it costs memory and does not make their start faster. */
  const serves = ["run", "serve", "nginx"].includes(program[0] ?? "");
  if (XDG_CACHE_HOME && !serves) nodeModule.enableCompileCache(join(XDG_CACHE_HOME, "sluice", "compiled"));
  await import(main);
}

/**
 * Starts the Node of the checkout. The terminal sends Ctrl-C to both processes, so only signals
 * that reach this process alone are passed on.
 */
function handOver(own, first) {
  // The handlers are set before the child starts: a signal in between would end this process alone.
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => {});
  const child = spawn(own, [fileURLToPath(import.meta.url), ...program], { stdio: "inherit" });
  child.on("error", (error) => first(`its own Node cannot be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(why) {
  process.stderr.write(`sluice: ${why}\n`);
  process.exitCode = 1;
}
