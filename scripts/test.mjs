/**
 * `npm test [SUITE ...] [-- vitest options]`: sets up what is missing and runs the suites. When
 * none is named, it leaves out those of the page, the image, the release, conformance and the soak.
 * Everything runs in a network namespace of its own, where 192.0.2.0/24 and ports 80 and 443 are
 * free; so it is plain JavaScript, and the namespace is made here, before Node 24 starts in it.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inNamespace } from "./namespace.mjs";
import { builds } from "./suite-builds.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const suites = [
  "unit",
  "golden",
  "nginx",
  "parity",
  "hostile",
  "simulation",
  "page",
  "chart",
  "e2e",
  "image",
  "release",
  "conformance",
  "soak",
];
const chosen = process.argv.slice(2).filter((word) => suites.includes(word));
const options = process.argv.slice(2).filter((word) => !suites.includes(word));
const wanted =
  chosen.length > 0
    ? chosen
    : suites.filter((suite) => !["page", "image", "release", "conformance", "soak"].includes(suite));

step([process.execPath, "scripts/setup.mjs"]);
step([process.execPath, "scripts/suite-programs.mjs", ...wanted]);
for (const [build, suitesThatNeedIt] of Object.entries(builds))
  if (suitesThatNeedIt.some((suite) => wanted.includes(suite))) step(["node_modules/.bin/node", build]);
if (wanted.includes("image")) step(["node_modules/.bin/node", "scripts/image.ts", "for-tests"]);
if (wanted.includes("release")) step(["node_modules/.bin/node", "scripts/release/for-tests.ts"]);

const projects = wanted.flatMap((suite) => ["--project", suite]);
// A suite may have no test here, but a file that is named must have some.
const mayBeEmpty = options.some((one) => /\.test\.ts$/.test(one)) ? [] : ["--passWithNoTests"];
const vitest = ["node_modules/.bin/vitest", "run", ...mayBeEmpty, ...projects, ...options];
step(inNamespace(vitest));

function step([command, ...args]) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
