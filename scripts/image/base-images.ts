/**
 * The Dockerfile's base images, made on this machine: Debian by mmdebstrap, and Node by npm. Tests
 * use them, and so may a machine that reaches no registry of images. They have this machine's
 * mirror, proxies and authorities.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { defaultSuite, ownProcessor, type Processor, type Suite } from "./builder.ts";

/** The names that npm has for processors. */
const npmProcessors: Readonly<Record<Processor, string>> = { amd64: "x64", arm64: "arm64" };
const dayMs = 86_400_000;
const buildah = async (...args: readonly string[]) => (await execa("buildah", args)).stdout.trim();

/**
 * Returns the arguments for the build that name the base images, after making those that are
 * missing.
 */
export async function baseImages(suite: Suite, processor: Processor): Promise<readonly string[]> {
  const debian = await debianImage(suite);
  const images = {
    SUITE: suite,
    DEBIAN_IMAGE: debian,
    NODE_IMAGE: await nodeImage(ownProcessor),
    NODE_TARGET_IMAGE: await nodeImage(processor),
  };
  return Object.entries(images).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
}

/** The image is made anew after a day, so that the build sees newer packages. */
async function debianImage(suite: Suite): Promise<string> {
  const name = `localhost/sluice-debian:${suite}`;
  if (await isFresh(name)) return name;
  await inFolder(async (folder) => {
    const tarball = join(folder, "debian.tar");
    // A mirror that is a copy may lag behind; the signatures are checked nevertheless.
    const options = ['Acquire::Check-Valid-Until "false"', ...(await proxies())];
    const words = ["--variant=apt", "--include=ca-certificates", ...options.map((option) => `--aptopt=${option}`)];
    await execa("mmdebstrap", [...words, suite, tarball, ...(await mirror(suite))], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    await commit("scratch", name, async (container) => {
      await buildah("add", "--quiet", container, tarball, "/");
      await buildah("config", "--cmd", "sh", container);
    });
  });
  return name;
}

/**
 * Node of the version with which the tests run, for one processor. That of this machine also has
 * npm.
 */
async function nodeImage(processor: Processor): Promise<string> {
  const name = `localhost/sluice-node-${processor}:${process.versions.node}`;
  if (await exists(name)) return name;
  const isOwn = processor === ownProcessor;
  await inFolder(async (folder) => {
    const program = await unpacked(`node-linux-${npmProcessors[processor]}@${process.versions.node}`, folder);
    // Only npm and Node run in it, so any suite will do.
    await commit(isOwn ? await debianImage(defaultSuite) : "scratch", name, async (container) => {
      await buildah("config", "--arch", processor, "--os", "linux", container);
      await buildah("copy", "--quiet", container, join(program, "bin/node"), "/usr/local/bin/node");
      await buildah("copy", "--quiet", container, join(program, "LICENSE"), "/usr/local/LICENSE");
      if (isOwn) await addNpm(container, folder);
    });
  });
  return name;
}

async function addNpm(container: string, folder: string): Promise<void> {
  const npm = await unpacked(`npm@${(await execa("npm", ["--version"])).stdout}`, folder);
  await buildah("copy", "--quiet", container, npm, "/usr/local/lib/node_modules/npm");
  const link = ["ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", "/usr/local/bin/npm"];
  await buildah("run", "--isolation", "chroot", container, "--", ...link);
  const { stdout: registry } = await execa("npm", ["config", "get", "registry"]);
  await buildah("config", "--env", `npm_config_registry=${registry}`, container);
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities === undefined || !existsSync(authorities)) return;
  await buildah("copy", "--quiet", container, authorities, "/etc/ssl/authorities.crt");
  for (const variable of ["NODE_EXTRA_CA_CERTS", "npm_config_cafile"])
    await buildah("config", "--env", `${variable}=/etc/ssl/authorities.crt`, container);
}

/** Fetches a package of npm, which checks its hash, and returns the folder with its files. */
async function unpacked(spec: string, folder: string): Promise<string> {
  const { stdout } = await execa("npm", ["pack", spec, "--silent", "--pack-destination", folder]);
  const target = join(folder, spec);
  mkdirSync(target);
  await execa("tar", ["--extract", "--file", join(folder, stdout.trim()), "--directory", target]);
  return join(target, "package");
}

/** SLUICE_DEBIAN_MIRROR, or the mirror of this machine's apt. Without one, mmdebstrap chooses. */
async function mirror(suite: Suite): Promise<readonly string[]> {
  const given = process.env.SLUICE_DEBIAN_MIRROR ?? (await mirrorOfApt());
  return given === undefined ? [] : [`deb ${given} ${suite} main`];
}

async function mirrorOfApt(): Promise<string | undefined> {
  const { stdout } = await execa("apt-get", ["indextargets", "--format", "$(CREATED_BY) $(REPO_URI)"], {
    reject: false,
  });
  const addresses = stdout.split("\n").map((line) => line.split(" "));
  return addresses.find(([kind, address]) => kind === "Packages" && /\/debian\/?$/.test(address ?? ""))?.[1];
}

async function proxies(): Promise<readonly string[]> {
  const { stdout } = await execa("apt-config", ["dump"], { reject: false });
  return stdout
    .split("\n")
    .filter((line) => /^Acquire::https?::Proxy /i.test(line))
    .map((line) => line.replace(/;$/, ""));
}

async function commit(from: string, name: string, fill: (container: string) => Promise<void>): Promise<void> {
  const container = await buildah("from", from);
  try {
    await fill(container);
    await buildah("commit", "--quiet", container, name);
  } finally {
    await buildah("rm", container);
  }
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-base-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const exists = async (name: string): Promise<boolean> =>
  (await execa("buildah", ["images", "--quiet", name], { reject: false })).exitCode === 0;

async function isFresh(name: string): Promise<boolean> {
  const { stdout, exitCode } = await execa("buildah", ["images", "--json", name], { reject: false });
  if (exitCode !== 0) return false;
  const [image] = JSON.parse(stdout) as { createdatraw: string }[];
  return image !== undefined && Date.now() - Date.parse(image.createdatraw) < dayMs;
}
