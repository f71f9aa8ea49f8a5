#!/usr/bin/env node
/**
 * `npx sluice` from a checkout: starts src/main.ts with what Node compiled of it before. A tool is over in a second, of which half would
 * go into compiling. It is plain JavaScript, because a first file in TypeScript alone would load Node's compiler for it.
 *
 * Node 24 comes with the packages of the checkout, so an older one hands over to that; where there is none, one line says what to run.
 * The cache's folder is the user's own, since what is in it is run. Where there is none, or it cannot be written, all is compiled anew.
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
  /** They run for long, and beside nginx's workers. */
  const serves = ["run", "serve", "nginx"].includes(program[0] ?? "");
  if (XDG_CACHE_HOME && !serves) nodeModule.enableCompileCache(join(XDG_CACHE_HOME, "sluice", "compiled"));
  await import("../src/main.ts");
}

/** The terminal sends its Ctrl-C to both, so only what one process alone is sent is passed on. */
function handOver() {
  // Before the child starts: a signal that comes in between would leave it behind.
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
