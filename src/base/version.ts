/**
 * The release of this program, from `package.json`, which is beside the sources and beside the
 * compiled files.
 */
import { readFileSync } from "node:fs";
import { shipped } from "./shipped.ts";

const { version } = JSON.parse(readFileSync(shipped("package.json"), "utf8")) as { version: string };

export const build = {
  name: "Sluice",
  release: version,
  /** The commit, if the build of the image has named it. */
  build: process.env.SLUICE_BUILD ?? "unknown",
  repository: process.env.SLUICE_REPOSITORY ?? "unknown",
} as const;
