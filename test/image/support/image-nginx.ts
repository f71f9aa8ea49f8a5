/**
 * Runs a suite of this machine on the nginx of the image. A program called nginx comes first in the
 * PATH and starts the image's own nginx in the image's root. Folders that both sides need at the
 * same path are mounted there, in a mount namespace that ends with the suite.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { cacheFolder } from "../../../scripts/go-builds.ts";
import type { Suite } from "../../../scripts/image/builder.ts";
import { unpackedImage } from "../../../scripts/image/unpacked.ts";

const repository = join(import.meta.dirname, "../../..");

export interface SuiteOnImage {
  readonly suite: Suite;
  /** Arguments for vitest, such as `--project parity`. */
  readonly words: readonly string[];
  /** The program that gets the arguments in place of vitest. */
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Prints the output while the suite runs, too. */
  readonly isShown?: boolean;
}

/**
 * The settings of names, and the rules of ModSecurity, where the controller on this machine looks
 * for them.
 */
const machinesOwn = ["/etc/hosts", "/etc/resolv.conf", "/etc/nginx"];

const modules = "/usr/lib/nginx/modules";
const vitest = [join(repository, "node_modules/.bin/vitest"), "run"];

/** Returns the whole output and how the suite ended. The first line names nginx's version. */
export async function runOnImage({ suite, words, program = vitest, env = {}, isShown = false }: SuiteOnImage) {
  const { root } = unpackedImage(suite);
  const folder = mkdtempSync(join(tmpdir(), "sluice-image-nginx-"));
  try {
    chmodSync(folder, 0o755);
    // The controller knows its nginx by the folder in which that was started, so the folder is
    // kept.
    const enter = `exec unshare --root=${root} --wd="$PWD" /usr/sbin/nginx "$@"`;
    writeFileSync(join(folder, "nginx"), `#!/bin/sh\n${enter}\n`, { mode: 0o755 });
    const shared = ["/dev", "/proc", "/sys", tmpdir(), repository, cacheFolder(process.env)];
    // All suites share the root, so the folders are created in a copy of it that ends with the
    // namespace.
    mkdirSync(join(folder, "memory"));
    const script = [
      // Later mounts of a test appear in the root as well.
      "mount --make-rshared /",
      `mount -t tmpfs tmpfs ${folder}/memory`,
      `mkdir ${folder}/memory/upper ${folder}/memory/work`,
      `mount -t overlay overlay -o lowerdir=${root},upperdir=${folder}/memory/upper,workdir=${folder}/memory/work ${root}`,
      ...shared.map((path) => `mkdir -p ${root}${path} && mount --rbind ${path} ${root}${path}`),
      ...machinesOwn
        .filter((path) => existsSync(path))
        .map((path) => `{ [ -e ${root}${path} ] || touch ${root}${path}; } && mount --bind ${path} ${root}${path}`),
      // The controller looks here for the modules that nginx can load.
      `mkdir -p ${modules} && mount --bind ${root}${modules} ${modules}`,
      "nginx -v",
      'exec "$@"',
    ].join(" && ");
    const unshared = ["--mount", "--propagation", "private", "sh", "-c", script, "sh", ...program, ...words];
    return await execa("unshare", unshared, {
      cwd: repository,
      env: { ...process.env, ...env, PATH: [folder, process.env.PATH].join(delimiter) },
      reject: false,
      all: true,
      ...(isShown ? { stdout: ["inherit", "pipe"], stderr: ["inherit", "pipe"] } : {}),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
