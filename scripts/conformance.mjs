/**
 * `npm run conformance -- [--image] [--services] [--churn=N] [TEST ...]`: runs tests of the Gateway
 * API's public suite, which allow 2 s until an answer is right. `--image` uses the nginx that
 * ships. With `--churn`, N objects that have nothing to do with the suite change each second.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const tests = words.filter((word) => !word.startsWith("--")).join(",");
const env = { CONFORMANCE_LIMITS: "MaxTimeToConsistency:2", ...process.env, CONFORMANCE_TESTS: tests };
if (words.includes("--services")) env.CONFORMANCE_SERVICES = "1";
const churn = words.find((word) => word.startsWith("--churn="));
if (churn !== undefined) env.CONFORMANCE_CHURN = churn.slice("--churn=".length);
if (!words.includes("--image")) process.exit(run([process.execPath, "scripts/test.mjs", "conformance"]));

env.CONFORMANCE_NGINX = "image";
const node = "node_modules/.bin/node";
const steps = [
  [process.execPath, "scripts/setup.mjs"],
  [node, "scripts/kubernetes-tools.ts"],
  [node, "scripts/gateway-suite.ts"],
  [process.execPath, "scripts/suite-on-image.mjs", "testing", "conformance"],
];
process.exit(steps.reduce((status, step) => status || run(step), 0));

function run([command, ...args]) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", env }).status ?? 1;
}
