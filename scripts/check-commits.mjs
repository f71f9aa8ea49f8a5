/**
 * Refuses commits that do not explain themselves. A commit after 6973caa9 that changes more than 50
 * lines needs a body with the problem, the solution and the proof. It runs on whatever Node is
 * installed, so it is plain JavaScript.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const since = "6973caa9";
const mostLines = 50;
const root = fileURLToPath(new URL("..", import.meta.url));

const { status, stdout } = spawnSync(
  "git",
  ["log", "--no-merges", "--numstat", "--format=%x00%h %s%x00%b%x00", `${since}..HEAD`],
  { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
);
if (status !== 0) {
  console.log(`commits are not checked: this copy of the repository does not know ${since}`);
  process.exit(0);
}

const [, ...parts] = stdout.split("\0");
const silent = [];
for (let at = 0; at < parts.length; at += 3) {
  const [subject, body, numbers] = parts.slice(at, at + 3);
  const lines = [...numbers.matchAll(/^(\d+)\t(\d+)\t/gm)].reduce(
    (sum, [, added, removed]) => sum + +added + +removed,
    0,
  );
  if (body.trim() === "" && lines > mostLines) silent.push(`${subject} (${lines} lines)`);
}
for (const commit of silent) console.log(`a commit without a body: ${commit}`);
if (silent.length > 0) console.log("Give each a body: the problem, the solution, and how it was seen to work.");
process.exit(silent.length === 0 ? 0 : 1);
