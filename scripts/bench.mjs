/** `npm run bench [NAME ...]`: sets up what is missing and runs the benchmarks in a network namespace of their own. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inNamespace } from "./namespace.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bench = ["node_modules/.bin/node", "test/bench/main.ts", ...process.argv.slice(2)];
for (const [command, ...args] of [
  [process.execPath, "scripts/setup.mjs"],
  ["node_modules/.bin/node", "scripts/kubernetes-tools.ts"],
  inNamespace(bench),
]) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
