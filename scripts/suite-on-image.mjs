/**
 * `node scripts/suite-on-image.mjs SUITE PROJECT ...`: suites of this machine on the nginx of the
 * image, in a network of their own.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inNamespace } from "./namespace.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = `${root}node_modules/.bin/node`;
const [suite, ...projects] = process.argv.slice(2);

step([node, "scripts/image.ts", "for-tests", `--suite=${suite}`]);
step(inNamespace([node, "test/image/support/run-on-image.ts", suite, ...projects]));

function step([command, ...args]) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
