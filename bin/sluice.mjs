#!/usr/bin/env node
/**
 * `npx sluice` from a checkout: starts src/main.ts from Node's cache of compiled code. A tool runs
 * for about a second, and without the cache half of that would be compilation. This file is plain
 * JavaScript, because a first file in TypeScript would load Node's compiler for itself alone.
 *
 * Node 24 comes with the packages of the checkout, so an older Node starts that one. If it is
 * not installed, one line says what to run. The cache is in a folder of the user's own, because its
 * content is executed. If the folder is missing or not writable, everything is compiled again.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = process.argv.slice(2);

const isNew = Number(process.versions.node.split(".")[0]) >= 24;
const own = join(root, "node_modules/.bin/node");

if (!existsSync(join(root, "node_modules")) && !existsSync(join(root, "../.package-lock.json"))) {
  setUpFirst("its packages are not installed yet");
} else if (isNew) await start();
else if (existsSync(own)) handOver();
else setUpFirst(`it needs Node 24, and this is ${process.version}`);

async function start() {
  const { HOME, XDG_CACHE_HOME = HOME && join(HOME, ".cache") } = process.env;
  /** Programs that serve use no cache: it costs memory and does not make their start faster. */
  const serves = ["run", "serve", "nginx"].includes(program[0] ?? "");
  if (XDG_CACHE_HOME && !serves) nodeModule.enableCompileCache(join(XDG_CACHE_HOME, "sluice", "compiled"));
  await import("../src/main.ts");
}

/**
 * Starts the Node of the checkout. The terminal sends Ctrl-C to both processes, so only signals
 * that reach this process alone are passed on.
 */
function handOver() {
  // The handlers are set before the child starts: a signal in between would end this process alone.
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => {});
  const child = spawn(own, [fileURLToPath(import.meta.url), ...program], { stdio: "inherit" });
  child.on("error", (error) => setUpFirst(`its own Node cannot be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function setUpFirst(why) {
  process.stderr.write(`sluice: ${why}; run npm install in ${root.replace(/\/$/, "")} first\n`);
  process.exitCode = 1;
}
