import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { lock } from "./go-builds.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

const builder = `
  import { existsSync, rmSync, writeFileSync } from "node:fs";
  import { lock } from ${JSON.stringify(join(import.meta.dirname, "go-builds.ts"))};
  const [file, built] = process.argv.slice(1);
  const unlock = await lock(file);
  if (!existsSync(built)) {
    writeFileSync(built + ".draft", "", { flag: "wx" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    writeFileSync(built, String(process.pid), { flag: "wx" });
    rmSync(built + ".draft");
  }
  unlock();
`;

function start(args: readonly string[], source = builder) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", source, "--", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { child, ended: new Promise<number | null>((resolve) => child.once("exit", resolve)) };
}

test("only one of several processes that start at once builds, and the others wait for it", async () => {
  const args = [join(folder, "at-once.lock"), join(folder, "at-once")];
  const started = [1, 2, 3, 4].map(() => start(args));
  expect(await Promise.all(started.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  expect(started.map(({ child }) => String(child.pid))).toContain(readFileSync(args[1]!, "utf8"));
});

test("a builder that is killed leaves no lock behind, and neither does a file of an older build", async () => {
  const file = join(folder, "killed.lock");
  writeFileSync(file, String(process.pid));
  const { child, ended } = start(
    [file],
    `import { lock } from ${JSON.stringify(join(import.meta.dirname, "go-builds.ts"))};
     await lock(process.argv[1]);
     console.log("locked");
     setInterval(() => {}, 1000);`,
  );
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGKILL");
  await ended;
  const unlock = await lock(file);
  unlock();
});
