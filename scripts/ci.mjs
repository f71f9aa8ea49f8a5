/**
 * Everything that must be true of a commit: set-up from nothing, types, lint, all test suites. The image's needs root, because it is really
 * built, with what Debian has for that; without root it is skipped and said so. Ends with `N passed, N failed`; the exit code says the same. It runs on whatever Node is installed, so it is plain JavaScript.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const env = { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH}` };
const folder = mkdtempSync(join(tmpdir(), "sluice-ci-"));
const summaryFile = join(folder, "summary.json");

const failed = [];
let passed = 0;

if (step("set-up", [process.execPath, "scripts/setup.mjs"])) {
  step("types", ["tsc", "--noEmit"]);
  step("lint", ["biome", "check", ".", "--diagnostic-level=error"]);
  const reporters = ["--reporter=default", "--reporter=./test/support/summary-reporter.ts"];
  const isRoot = process.getuid?.() === 0;
  const ended = run(["node", "scripts/test.mjs", ...(isRoot ? ["all"] : []), ...reporters], {
    SUMMARY_FILE: summaryFile,
  });
  if (!isRoot) console.log("skipped: image: building it needs root");
  const summary = readSummary();
  passed += summary.passed;
  failed.push(...summary.failed);
  if (!ended && summary.failed.length === 0) failed.push("the test run, which ended early");
  for (const { name, reason } of summary.skipped) console.log(`skipped: ${name}: ${reason}`);
}
rmSync(folder, { recursive: true });
for (const name of failed) console.log(`failed: ${name}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);

function step(name, command) {
  console.log(`--- ${name}`);
  const ended = run(command);
  if (ended) passed += 1;
  else failed.push(name);
  return ended;
}

function run([command, ...args], more = {}) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...env, ...more } }).status === 0;
}

function readSummary() {
  try {
    return JSON.parse(readFileSync(summaryFile, "utf8"));
  } catch {
    return { passed: 0, failed: [], skipped: [] };
  }
}
