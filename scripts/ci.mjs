/**
 * Checks everything that must hold for a commit: set-up from nothing, types, lint, all test suites.
 * Suites whose files run one after the other keep a core busy for less than half of the time. So
 * three rows of suites run side by side, each in a network namespace of its own. The image is
 * really built for its suite. That needs root; without root the suite is skipped with a message.
 * Ends with `N passed, N failed`; the exit code says the same. It runs on whatever Node is
 * installed, so it is plain JavaScript.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const env = { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH}` };
const folder = mkdtempSync(join(tmpdir(), "sluice-ci-"));
const failed = [];
let passed = 0;

if (await step("set-up", [process.execPath, "scripts/setup.mjs"])) {
  await step("types", ["tsc", "--noEmit"]);
  await step("types of the page", ["tsc", "-p", "ui"]);
  await step("comments", ["node", "scripts/check-comments.ts"]);
  await step("commits", [process.execPath, "scripts/check-commits.mjs"]);
  await step("lint", ["biome", "check", ".", "--diagnostic-level=error"]);
  await suites(["unit", "golden", "nginx", "hostile", "simulation", "page", "release"]);
  const chartAndImage = async () => {
    await suites(["chart"], { printedAtEnd: true });
    if (process.getuid?.() === 0) await suites(["image"], { printedAtEnd: true });
    else {
      console.log("skipped: image: its containers are started as root");
      console.log("skipped: conformance: it runs on the nginx of the image, which is started as root");
    }
  };
  await Promise.all([suites(["e2e"]), suites(["parity"], { printedAtEnd: true }), chartAndImage()]);
}
rmSync(folder, { recursive: true });
for (const name of failed) console.log(`failed: ${name}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);

async function step(name, command) {
  console.log(`--- ${name}`);
  const ended = await run(command);
  if (ended) passed += 1;
  else failed.push(name);
  return ended;
}

/**
 * Runs the suites with these names. With `printedAtEnd`, their output comes at once at the end, so
 * that it is not mixed with that of other rows.
 */
async function suites(names, { printedAtEnd = false } = {}) {
  const summaryFile = join(folder, `${names[0]}.json`);
  const reporters = ["--reporter=default", "--reporter=./test/support/summary-reporter.ts"];
  const command = ["node", "scripts/test.mjs", ...names, ...reporters];
  const ended = await run(command, { more: { SUMMARY_FILE: summaryFile }, printedAtEnd });
  const summary = readSummary(summaryFile);
  passed += summary.passed;
  failed.push(...summary.failed);
  if (!ended && summary.failed.length === 0) failed.push(["the test run", ...names, "ended early"].join(", "));
  for (const { name, reason } of summary.skipped) console.log(`skipped: ${name}: ${reason}`);
}

/** Returns whether the command ended with 0. */
function run([command, ...args], { more = {}, printedAtEnd = false } = {}) {
  const stdio = printedAtEnd ? ["ignore", "pipe", "pipe"] : "inherit";
  const child = spawn(command, args, { cwd: root, stdio, env: { ...env, ...more } });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => printed.push(chunk));
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(printed));
      resolve(code === 0);
    });
  });
}

function readSummary(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { passed: 0, failed: [], skipped: [] };
  }
}
