/**
 * `npm run bench [NAME ...]`: sets up what is missing and runs the benchmarks in a network
 * namespace of their own. With `npm run bench -- --on-image NAME ...` they use the image's nginx
 * instead of this machine's.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inNamespace } from "./namespace.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = "node_modules/.bin/node";
const onImage = process.argv.includes("--on-image");
const names = process.argv.slice(2).filter((word) => word !== "--on-image");
const program = onImage ? "test/image/support/bench-on-image.ts" : "test/bench/main.ts";
for (const [command, ...args] of [
  [process.execPath, "scripts/setup.mjs"],
  [node, "scripts/kubernetes-tools.ts"],
  ...(onImage ? [[node, "scripts/image.ts", "for-tests"]] : []),
  inNamespace([node, program, ...names]),
]) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
