/**
 * The digests of the base images, in `image/digests`. A tag of a registry moves; a digest always
 * names the same bytes. The file is only there where a maintainer has written it.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import type { Suite } from "./builder.ts";

const repository = join(import.meta.dirname, "../..");
const file = join(repository, "image/digests");

/**
 * Returns the arguments that choose the suite and, if they are known for it, the base images by
 * digest.
 */
export function pinnedBases(suite: Suite): readonly string[] {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const pinned = lines.includes(`SUITE=${suite}`) ? lines : [`SUITE=${suite}`];
  return pinned.flatMap((line) => ["--build-arg", line]);
}

/** Asks the registries with skopeo. */
export async function writeDigests(suite: Suite): Promise<void> {
  const lines = [`SUITE=${suite}`];
  for (const [name, image] of defaultImages(readFileSync(join(repository, "Dockerfile"), "utf8"), suite)) {
    const { stdout } = await execa("skopeo", ["inspect", "--format", "{{.Digest}}", `docker://${image}`]);
    lines.push(`${name}=${image}@${stdout.trim()}`);
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
  console.log(lines.join("\n"));
}

/** Returns the base images that a Dockerfile uses by default, by the names of their arguments. */
export function defaultImages(dockerfile: string, suite: Suite): ReadonlyMap<string, string> {
  const found = [...dockerfile.matchAll(/^ARG (\w+_IMAGE)=(?!\$)(\S+)$/gm)];
  return new Map(found.map(([, name, image]) => [name!, image!.replace("${SUITE}", suite)]));
}
