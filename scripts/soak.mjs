/**
 * `npm run soak [faults] [changes] [upgrade]`: runs that take too long for a test. `faults` breaks
 * the API server, the machine, the disk and the journal under traffic for FAULT_MINUTES (5), and
 * checks every answer; `changes` changes a cluster under traffic for SOAK_MINUTES (20) and fails
 * when anything grows; `upgrade` replaces all replicas under traffic for UPGRADE_MINUTES (5) and
 * fails when a request does. Without a name it runs all.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const soaks = {
  faults: { args: ["e2e", "test/e2e/random-faults.test.ts"], env: { FAULT_MINUTES: "5" } },
  changes: { args: ["soak"], env: {} },
  upgrade: { args: ["nginx", "test/nginx/upgrade.test.ts"], env: { UPGRADE_MINUTES: "5" } },
};
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(soaks, name));
if (unknown !== undefined) {
  console.error(`There is no soak ${unknown}; there are ${Object.keys(soaks).join(", ")}.`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : Object.keys(soaks)) {
  const { args, env } = soaks[name];
  const command = ["scripts/test.mjs", ...args];
  const done = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit", env: { ...env, ...process.env } });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
