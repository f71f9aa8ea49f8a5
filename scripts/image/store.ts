/**
 * Package files on this machine, in a cache outside the repository, each under its hash. A file is
 * fetched once. Debian's mirror keeps only the newest versions, so a pinned file may be gone from
 * it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../go-builds.ts";
import { newestPins, type Pin, readPins } from "./lock.ts";
import { fetched, sha256 } from "./mirror.ts";
import type { Suite, Use } from "./suites.ts";

/** Returns the folder of the image's parts. */
export const imageCache = (): string => join(cacheFolder(process.env), "image");
const folder = () => join(imageCache(), "files");
export const fileOf = (pin: Pin): string => join(folder(), `${pin.sha256}.deb`);

/** The error that a pinned file is no longer on the mirror. Its message names the remedy. */
export class PinGone extends Error {
  constructor(suite: Suite, pin: Pin) {
    super(
      `Debian's mirror no longer has ${pin.name} ${pin.version}, which image/packages.${suite}.lock pins; ` +
        `\`npm run image -- pins --suite=${suite}\` moves the pins to what the mirror has now.`,
    );
  }
}

/**
 * Returns the pins with these uses, after their files were put into the cache. `whenGone` decides
 * what happens when the mirror has a file no longer.
 */
export async function storedPins(
  suite: Suite,
  isWanted: (pin: Pin) => boolean,
  whenGone: "fail" | "take the newest",
): Promise<readonly Pin[]> {
  const pins = readPins(suite).filter(isWanted);
  try {
    await store(suite, pins);
    return pins;
  } catch (cause) {
    if (!(cause instanceof PinGone) || whenGone === "fail") throw cause;
    const newest = (await newestPins(suite)).filter(isWanted);
    console.warn(`image: ${cause.message}`);
    console.warn(
      `image: for now this takes the newest files instead of the pinned ones: ${moves(pins, newest).join(", ")}`,
    );
    await store(suite, newest);
    return newest;
  }
}

/** Returns the packages that differ, such as `nginx 1.30.6-2 to 1.30.7-1`. */
export function moves(before: readonly Pin[], after: readonly Pin[]): readonly string[] {
  const old = new Map(before.map(({ name, version }) => [name, version]));
  const fresh = new Map(after.map(({ name, version }) => [name, version]));
  const names = [...new Set([...old.keys(), ...fresh.keys()])].toSorted();
  return names
    .filter((name) => old.get(name) !== fresh.get(name))
    .map((name) => `${name} ${old.get(name) ?? "(new)"} to ${fresh.get(name) ?? "(gone)"}`);
}

async function store(suite: Suite, pins: readonly Pin[]): Promise<void> {
  mkdirSync(folder(), { recursive: true });
  const queue = [...new Map(pins.map((pin) => [pin.sha256, pin])).values()].filter((pin) => !existsSync(fileOf(pin)));
  const work = async () => {
    for (let pin = queue.pop(); pin; pin = queue.pop()) {
      const bytes = await fetched(pin.archive, pin.path);
      if (bytes === undefined) throw new PinGone(suite, pin);
      if (sha256(bytes) !== pin.sha256)
        throw new Error(`${pin.path} of Debian's mirror is not the file that is pinned.`);
      place(fileOf(pin), bytes);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

/** A file gets its name only when it is complete. */
export function place(file: string, bytes: Uint8Array): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, bytes);
  renameSync(draft, file);
}

/**
 * Returns Node's program for a processor, from the npm package that has it. Its hash is checked.
 */
export function nodeProgram(processor: string): { readonly version: string; readonly tarball: string } {
  const lines = readFileSync(join(import.meta.dirname, "../../image/node.lock"), "utf8").split("\n");
  const row = lines.map((line) => line.split(" ")).find(([name]) => name === processor);
  if (row === undefined) throw new Error(`image/node.lock has no row for ${processor}.`);
  const [, name = "", version = "", integrity = ""] = row;
  const tarball = join(folder(), `${name}-${version}.tgz`);
  if (!existsSync(tarball)) fetchFromNpm(`${name}@${version}`, tarball);
  const actual = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  if (actual !== integrity) {
    rmSync(tarball);
    throw new Error(`${name}@${version} of the npm registry is not the package that image/node.lock pins.`);
  }
  return { version, tarball };
}

export function fetchFromNpm(spec: string, file: string): void {
  mkdirSync(folder(), { recursive: true });
  const draft = mkdtempSync(join(folder(), "npm-"));
  execFileSync("npm", ["pack", spec, "--silent", "--pack-destination", draft], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [packed] = readdirSync(draft);
  renameSync(join(draft, packed!), file);
  rmSync(draft, { recursive: true });
}

export const isUse =
  (...some: readonly Use[]) =>
  ({ use }: Pin): boolean =>
    some.includes(use);
