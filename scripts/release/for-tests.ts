/**
 * Makes what the suite `release` tests, before its network namespace is made: the package of npm,
 * packed from a copy of the checkout and installed in an empty folder, and the oldest Node that it
 * supports. All of it is in the cache folder.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { cacheFolder } from "../go-builds.ts";

const root = join(import.meta.dirname, "../..");
const cache = join(cacheFolder(process.env), "release");
/** The first release of Node with which the package works. */
const oldest = "22.19.0";

export const installed = {
  /** The packed file is in it. */
  packed: join(cache, "packed"),
  /** A folder in which a user has installed the packed file. */
  user: join(cache, "user"),
  oldNode: join(cache, `node-${oldest}`, "node_modules/node/bin/node"),
} as const;

/** Copies what git would have in a fresh clone, with changes that are not committed yet. */
async function cloneIn(folder: string): Promise<void> {
  const { stdout } = await execa("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of stdout.split("\n")) {
    if (!existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}

async function main(): Promise<void> {
  const clone = mkdtempSync(join(tmpdir(), "sluice-clone-"));
  try {
    await cloneIn(clone);
    rmSync(installed.packed, { recursive: true, force: true });
    rmSync(installed.user, { recursive: true, force: true });
    for (const folder of [installed.packed, installed.user]) mkdirSync(folder, { recursive: true });
    await execa("npm", ["pack", "--silent", "--pack-destination", installed.packed], { cwd: clone, stdio: "inherit" });
  } finally {
    rmSync(clone, { recursive: true });
  }
  const [file] = readdirSync(installed.packed);
  await install(installed.user, join(installed.packed, file!));
  if (!existsSync(installed.oldNode)) {
    const folder = join(cache, `node-${oldest}`);
    mkdirSync(folder, { recursive: true });
    await install(folder, `node@${oldest}`);
  }
}

/** The prefix keeps npm from a package.json in a folder above. */
async function install(folder: string, what: string): Promise<void> {
  await execa("npm", ["install", "--silent", "--prefix", folder, what], { cwd: folder, stdio: "inherit" });
}

if (import.meta.main) await main();
