/**
 * Moves the pins to what Debian's mirror and the npm registry have now, and lists the security
 * fixes that the move brings: entries of Debian's changelogs between both versions that name a CVE.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { lockFile, newestPins, type Pin, readPins, writePins } from "./lock.ts";
import { fileOf, moves, storedPins } from "./store.ts";
import { builder, processors, type Suite } from "./suites.ts";
import { readArchive, type Tree } from "./tree.ts";
import { compareVersions } from "./version.ts";

export async function movePins(suite: Suite): Promise<void> {
  const before = existsSync(lockFile(suite)) ? readPins(suite) : [];
  const after = await newestPins(suite);
  writePins(suite, after);
  const inImage = (pins: readonly Pin[]) =>
    pins.filter(({ use, processor }) => use === "runtime" && processor === builder);
  const moved = moves(inImage(before), inImage(after));
  console.log(moved.length === 0 ? `image: the packages of ${suite} have not moved` : moved.join("\n"));
  await storedPins(suite, ({ use }) => use === "runtime", "fail");
  const old = new Map(inImage(before).map(({ name, version }) => [name, version]));
  for (const pin of inImage(after)) {
    const version = old.get(pin.name);
    if (version === undefined || version === pin.version) continue;
    for (const fix of securityFixes(await changelogOf(pin), version)) console.log(`${pin.name}: ${fix}`);
  }
  moveNode();
}

/**
 * Returns Debian's changelog of a package, which has its newest entry first. Some packages share
 * the changelog of another.
 */
async function changelogOf(pin: Pin): Promise<string> {
  const tree: Tree = new Map();
  const wanted = new RegExp(
    `^usr/share/doc/${pin.name.replaceAll("+", "\\+")}/changelog(\\.Debian)?(\\.[a-z0-9]+)?\\.gz$`,
  );
  await readArchive(["dpkg-deb", "--fsys-tarfile", fileOf(pin)], tree, (path) =>
    wanted.test(path) ? path : undefined,
  );
  const entry = [...tree.values()].find(({ kind }) => kind === "file");
  return entry?.kind === "file" ? gunzipSync(entry.body).toString("utf8") : "";
}

/**
 * Returns the items that name a CVE, in entries that are newer than a version, each as one line.
 */
export function securityFixes(changelog: string, since: string): readonly string[] {
  const entries = changelog.split(/^(?=\S+ \([^)]+\) )/m);
  const newer = entries.filter((entry) => {
    const version = /^\S+ \(([^)]+)\) /.exec(entry)?.[1];
    return version !== undefined && compareVersions(version, since) > 0;
  });
  return newer.flatMap((entry) =>
    entry
      .replace(/^ -- .*$/m, "")
      .split(/^\s*(?=[*+-] )/m)
      .filter((point) => /CVE-\d{4}-\d+/.test(point))
      .map((point) => point.replaceAll(/\s+/g, " ").trim()),
  );
}

/**
 * Node's line is that of `node` in package.json, so that the tests run on the version that ships.
 */
function moveNode(): void {
  const root = join(import.meta.dirname, "../..");
  const file = join(root, "image/node.lock");
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    devDependencies: { node: string };
  };
  const version = devDependencies.node;
  const rows = Object.entries(processors).map(([processor, { npm }]) => {
    const name = `node-linux-${npm}`;
    return `${processor} ${name} ${version} ${askNpm(`${name}@${version}`, "dist.integrity")}`;
  });
  writeFileSync(file, `${rows.join("\n")}\n`);
  const [major] = version.split(".");
  const published = JSON.parse(askNpm("node", "versions", "--json")) as readonly string[];
  const newer = published.filter((one) => one.startsWith(`${major}.`) && compareVersions(one, version) > 0);
  const advice =
    newer.length > 0
      ? `; newer: ${newer.join(", ")}: npm install --save-dev --save-exact node@${newer.at(-1)}, then this again`
      : "";
  console.log(`Node ${version}${advice}`);
}

const askNpm = (...words: readonly string[]) =>
  execFileSync("npm", ["view", ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
