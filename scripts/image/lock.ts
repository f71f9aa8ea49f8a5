/**
 * The pins of a suite, `image/packages.SUITE.lock`: a row for each package file, with its hash. The
 * pins of Node, `image/node.lock`, have the hash of each npm package that holds Node's program.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Archive, mirrorOf, packagesOf } from "./mirror.ts";
import { closure, type PackageIndex, readIndex } from "./package-index.ts";
import {
  alone,
  builder,
  neededByTools,
  type Processor,
  processors,
  type Suite,
  suites,
  type Use,
  unneeded,
  uses,
  wanted,
} from "./suites.ts";

export interface Pin {
  readonly use: Use;
  readonly processor: Processor;
  readonly name: string;
  readonly version: string;
  readonly archive: Archive;
  readonly path: string;
  readonly sha256: string;
}

const repository = join(import.meta.dirname, "../..");
export const lockFile = (suite: Suite): string => join(repository, `image/packages.${suite}.lock`);
const columns = ["use", "processor", "name", "version", "archive", "path", "sha256"] as const;

export function readPins(suite: Suite): readonly Pin[] {
  const lines = readFileSync(lockFile(suite), "utf8").split("\n");
  const rows = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(" "));
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])) as unknown as Pin);
}

export function writePins(suite: Suite, pins: readonly Pin[]): void {
  const head = `# Package files of the image from Debian ${suite}. Written by: npm run image -- pins --suite=${suite}\n# ${columns.join(" ")}\n`;
  const rows = pins.map((pin) => columns.map((column) => pin[column]).join(" "));
  writeFileSync(lockFile(suite), `${head}${rows.join("\n")}\n`);
}

/** The newest versions that the mirror has, as pins. */
export async function newestPins(suite: Suite): Promise<readonly Pin[]> {
  const names = Object.keys(processors) as Processor[];
  const indexes = await Promise.all(names.map((processor) => indexOf(suite, processor)));
  return uses.flatMap((use) =>
    names
      .filter((processor) => processor === builder || !onlyOnBuilder.includes(use))
      .flatMap((processor) => pinsOf(use, processor, indexes[names.indexOf(processor)]!)),
  );
}

/** Programs that run where the image is built or tested. */
const onlyOnBuilder: readonly Use[] = ["compiler", "cross-compiler", "client"];

function pinsOf(use: Use, processor: Processor, index: PackageIndex): readonly Pin[] {
  const only = new Set(wanted[use]);
  const without = (name: string) =>
    alone.includes(use)
      ? !only.has(name)
      : !only.has(name) && name in unneeded && (use === "runtime" || !neededByTools.includes(name));
  return closure(index, wanted[use], without).map(({ name, version, archive, path, sha256 }) => ({
    ...{ use, processor, name, version, archive, path, sha256 },
  }));
}

async function indexOf(suite: Suite, processor: Processor): Promise<PackageIndex> {
  const { release, security } = suites[suite];
  const lists = [["debian", release]] as [Archive, string][];
  if (hasSecurityMirror()) lists.push(["debian-security", security]);
  const texts = await Promise.all(lists.map(([archive, name]) => packagesOf(archive, name, processor)));
  return readIndex(lists.map(([archive], at) => [archive, texts[at]!] as const));
}

/**
 * Some machines reach only the main archive, to which Debian moves security updates with each point
 * release.
 */
function hasSecurityMirror(): boolean {
  try {
    return mirrorOf("debian-security") !== "";
  } catch {
    return false;
  }
}
