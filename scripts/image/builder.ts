/**
 * Calls the program that builds the Dockerfile: docker, podman or buildah, which take the same
 * arguments.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { execa } from "execa";

const repository = join(import.meta.dirname, "../..");

/** Debian's suites: testing has nginx 1.30, trixie 1.26. */
export const suites = ["testing", "trixie"] as const;
export type Suite = (typeof suites)[number];
export const defaultSuite: Suite = "testing";

export type Processor = "amd64" | "arm64";
export const ownProcessor: Processor = process.arch === "arm64" ? "arm64" : "amd64";

const builders = ["docker", "podman", "buildah"];
const has = (program: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

/** Returns the first builder that this machine has; throws a sentence if there is none. */
export function findBuilder(): string {
  const found = builders.find(has);
  if (found === undefined) throw new Error(`The build needs one of these programs: ${builders.join(", ")}.`);
  return found;
}

/**
 * Builds the Dockerfile with these arguments, which `docker build` has too. Prints the command
 * first, because it is what a reader can run. buildah needs no daemon and, with chroot, no rights
 * beyond root's; before version 1.30 it does not set BUILDPLATFORM.
 */
export async function build(builder: string, args: readonly string[]): Promise<void> {
  const own =
    builder === "buildah"
      ? ["--isolation", "chroot", "--layers", "--jobs", "2", "--build-arg", `BUILDPLATFORM=linux/${ownProcessor}`]
      : [];
  // A folder from an archive of the sources has no commit.
  const { stdout: revision, exitCode } = await execa("git", ["rev-parse", "HEAD"], { cwd: repository, reject: false });
  const label = exitCode === 0 ? ["--label", `org.opencontainers.image.revision=${revision}`] : [];
  const words = ["build", ...own, ...label, ...args, "."];
  console.log(`image: ${[builder, ...words].join(" ")}`);
  await execa(builder, words, { cwd: repository, stdio: "inherit" });
}
