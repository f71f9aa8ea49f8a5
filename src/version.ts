/** Which release this is. `package.json` lies beside the sources and beside the compiled files alike. */
import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export const build = {
  name: "Sluice",
  release: version,
  /** The commit, where the image was told it. */
  build: process.env.SLUICE_BUILD ?? "unknown",
  repository: process.env.SLUICE_REPOSITORY ?? "unknown",
} as const;
