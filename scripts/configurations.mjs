/**
 * `npm run configurations [NAME ...]`: suites for which CI has no time. Runs all of them, or the
 * named ones, and records in docs/configurations.md when each last passed, and at which commit. The
 * record also says whether the checkout had uncommitted changes. It is plain JavaScript, because
 * set-up may not have run yet.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = `${root}docs/configurations.md`;
const node = "node_modules/.bin/node";
const onImage = (suite, ...words) => [process.execPath, "scripts/suite-on-image.mjs", suite, ...words];

/** The configurations by name, each with what it shows and its command. */
const configurations = {
  "same-bytes": [
    "two builds without a cache, from the same packages, have one digest",
    [node, "scripts/image/same-bytes.ts"],
  ],
  arm64: ["the arm64 image serves under emulation, with Lua and all modules", [node, "scripts/image/arm64-smoke.ts"]],
  "nginx-1.30": ["the nginx and hostile suites pass on the image's nginx 1.30", onImage("testing", "nginx", "hostile")],
  "parity-1.30-static": ["the parity suite passes on it in static mode", onImage("testing", "parity-static")],
  "image-1.26": ["the image suite passes with Debian 13's nginx 1.26", [process.execPath, "scripts/test.mjs", "image"]],
  "nginx-1.26": ["the nginx and hostile suites pass on nginx 1.26", onImage("trixie", "nginx", "hostile")],
  "hostile-beside": [
    "the hostile suite passes with nginx in a container of its own, in both modes",
    [process.execPath, "scripts/test.mjs", "hostile"],
  ],
  "conformance-1.6": [
    "the suite of the Gateway API v1.6.3 passes on the image's nginx, with its definitions",
    [process.execPath, "scripts/test.mjs", "image", "test/image/conformance.test.ts"],
  ],
  "conformance-2s": [
    "the suite of the Gateway API passes on the image's nginx where it grants 2 s until an answer is right",
    [process.execPath, "scripts/conformance.mjs", "--image"],
  ],
  "conformance-churn": [
    "the same with the suite's own limits, while 50 unrelated objects change each second",
    [process.execPath, "scripts/test.mjs", "image", "test/image/conformance.test.ts"],
  ],
};
/** Programs that configurations need, each with its Debian package. */
const tools = { arm64: ["qemu-aarch64-static", "qemu-user-static"] };
const environment = {
  "image-1.26": { SLUICE_IMAGE_SUITE: "trixie" },
  "hostile-beside": { HOSTILE_NGINX: "beside" },
  "conformance-1.6": { GATEWAY_API_VERSION: "1.6.3" },
  "conformance-churn": { CONFORMANCE_CHURN: "50" },
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in configurations));
if (unknown.length > 0) {
  console.error(
    `configurations: there is no ${unknown.join(", ")}; there are ${Object.keys(configurations).join(", ")}`,
  );
  process.exit(2);
}
must([process.execPath, "scripts/setup.mjs"]);
const commit = commitName();
const failed = [];
for (const name of named.length > 0 ? named : Object.keys(configurations)) {
  const [, command] = configurations[name];
  console.log(`--- ${name}`);
  install(tools[name]);
  if (run(command, environment[name])) record(name);
  else failed.push(name);
}
console.log(readFileSync(page, "utf8"));
if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);

/** The page itself changes with each record, so it does not count. */
function commitName() {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changes = git("status", "--porcelain", "--", ".", ":!docs/configurations.md");
  return `${git("rev-parse", "--short", "HEAD")}${changes === "" ? "" : " with changes"}`;
}

function run([program, ...args], more = {}) {
  return spawnSync(program, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...more } }).status === 0;
}

function install([program, name] = []) {
  if (program === undefined || existsSync(`/usr/bin/${program}`)) return;
  must(["apt-get", "update", "-qq"]);
  must(["apt-get", "install", "-y", "-qq", "--no-install-recommends", name]);
}

function must(command) {
  if (!run(command)) process.exit(1);
}

function record(name) {
  const rows = new Map(rowsOf(existsSync(page) ? readFileSync(page, "utf8") : ""));
  rows.set(name, `${new Date().toISOString().slice(0, 10)} at ${commit}`);
  const lines = Object.entries(configurations).map(
    ([one, [what]]) => `| \`${one}\` | ${what} | ${rows.get(one) ?? "not yet"} |`,
  );
  const head =
    "# Configurations that CI does not run\n\n`npm run configurations` runs all of them, or those named as arguments, and writes this page. It needs root.\n\n| name | what it shows | last passed |\n|---|---|---|\n";
  writeFileSync(page, `${head}${lines.join("\n")}\n`);
}

function rowsOf(text) {
  return [...text.matchAll(/^\| `([^`]+)` \| [^|]* \| (.*) \|$/gm)].map(([, name, passed]) => [name, passed]);
}
