/**
 * `npm run conformance -- [--services] [TEST ...]`: tests of the Gateway API's public suite, which
 * grant 2 s until an answer is right.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const tests = words.filter((word) => word !== "--services").join(",");
const services = words.includes("--services") ? { CONFORMANCE_SERVICES: "1" } : {};
const env = { CONFORMANCE_LIMITS: "MaxTimeToConsistency:2", ...process.env, ...services, CONFORMANCE_TESTS: tests };
const { status } = spawnSync(process.execPath, ["scripts/test.mjs", "conformance"], {
  cwd: root,
  stdio: "inherit",
  env,
});
process.exit(status ?? 1);
