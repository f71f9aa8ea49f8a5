/**
 * Builds both images twice, from the same package files on two faked dates, and compares the
 * digests. It runs under libfaketime, which Debian packages as faketime. Prints the digest.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const dates = ["2027-01-02 03:04:05", "2031-12-30 21:22:23"];
const digests = dates.map((date) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-same-bytes-"));
  // The C parts are compiled anew each time, so that they are compared as well. Node's timers need
  // a true clock.
  const env = { ...process.env, SLUICE_COMPILE_ANEW: "1", FAKETIME_DONT_FAKE_MONOTONIC: "1" };
  try {
    const build = [join(root, "node_modules/.bin/node"), join(root, "scripts/image.ts"), `--output=${folder}`];
    execFileSync("faketime", [date, ...build], { cwd: root, env, stdio: ["ignore", "ignore", "inherit"] });
    return JSON.parse(readFileSync(join(folder, "index.json"), "utf8"))
      .manifests.map(({ digest }) => digest)
      .join(" ");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
if (digests[0] !== digests[1]) throw new Error(`Two builds differ: ${digests.join(" and ")}`);
console.log(digests[0]);
