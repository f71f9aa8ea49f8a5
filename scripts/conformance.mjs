/** `npm run conformance -- [TEST ...]`: tests of the Gateway API's public suite, which grant 2 s until an answer is right. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tests = process.argv.slice(2).join(",");
const env = { CONFORMANCE_LIMITS: "MaxTimeToConsistency:2", ...process.env, CONFORMANCE_TESTS: tests };
const { status } = spawnSync(process.execPath, ["scripts/test.mjs", "conformance"], {
  cwd: root,
  stdio: "inherit",
  env,
});
process.exit(status ?? 1);
