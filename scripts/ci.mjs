/**
 * Everything that must be true of a commit: set-up from nothing, types, lint, all test suites. The image's comes last, because the image is
 * really built for it; that needs root, and without root it is skipped and said so. Ends with `N passed, N failed`; the exit code says the
 * same. It runs on whatever Node is installed, so it is plain JavaScript.
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
  suites();
  if (process.getuid?.() === 0) suites("image");
  else console.log("skipped: image: it is built as root");
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

/** Runs the suites with these names, or all but the image's. */
function suites(...names) {
  const reporters = ["--reporter=default", "--reporter=./test/support/summary-reporter.ts"];
  rmSync(summaryFile, { force: true });
  const ended = run(["node", "scripts/test.mjs", ...names, ...reporters], { SUMMARY_FILE: summaryFile });
  const summary = readSummary();
  passed += summary.passed;
  failed.push(...summary.failed);
  if (!ended && summary.failed.length === 0) failed.push(["the test run", ...names, "ended early"].join(", "));
  for (const { name, reason } of summary.skipped) console.log(`skipped: ${name}: ${reason}`);
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
