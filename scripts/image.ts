/**
 * Builds the image as the tests use it, where nothing can be pulled: the two base images that the Dockerfile names are made here, Debian by
 * debootstrap and Node from the one in node_modules, and handed to the Dockerfile in place of the published ones.
 * `npm test image` runs it first, outside of the test's network namespace. It needs root, buildah, debootstrap, and runc for the tests.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const debian = "trixie";
const baseImage = `localhost/sluice-debian:${debian}`;
const nodeImage = "localhost/sluice-node:24";
export const image = "localhost/sluice:test";
/** A curl that speaks HTTP/3, for the tests. */
export const clientImage = `localhost/sluice-client:${debian}`;

/** The environment of every buildah command. vfs copies the whole tree for each layer, so overlay is taken where the kernel has it. */
export const buildahEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  BUILDAH_ISOLATION: "chroot",
  STORAGE_DRIVER: readFileSync("/proc/filesystems", "utf8").includes("\toverlay\n") ? "overlay" : "vfs",
};

/** Runs buildah and gives what it printed. */
export function buildah(...args: readonly string[]): string {
  const stdio = ["ignore", "pipe", "inherit"] as const;
  return execFileSync("buildah", args, {
    env: buildahEnvironment,
    encoding: "utf8",
    stdio: [...stdio],
    maxBuffer: 2 ** 28,
  }).trim();
}

/** Says how the build began: from nothing, or with base images and layers that an earlier one has left. */
export function buildImage(): string {
  installTools();
  const cold = !exists(baseImage);
  if (cold) makeBase();
  if (!exists(nodeImage)) makeNode();
  if (!exists(clientImage)) makeClient();
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  const revision = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const version = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
  buildah(
    ...["build", "--quiet", "--layers", "--tag", image, "--pull=false"],
    ...["--build-arg", `BASE_IMAGE=${baseImage}`, "--build-arg", `NODE_IMAGE=${nodeImage}`],
    ...["--build-arg", `VERSION=${version}`, "--build-arg", `REVISION=${revision}`],
    ...(authorities ? ["--secret", `id=ca,src=${realpathSync(authorities)}`] : []),
    root,
  );
  return cold ? "from nothing" : "with layers of an earlier build";
}

/** Debian without what an image does not need, as the published slim images leave it out. */
function makeBase(): void {
  const folder = mkdtempSync(join(tmpdir(), "sluice-base-"));
  const unwanted = [
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "var/cache/apt/archives",
    "var/lib/apt/lists",
  ];
  try {
    execFileSync("debootstrap", ["--variant=minbase", debian, folder], { stdio: ["ignore", "ignore", "inherit"] });
    for (const path of unwanted) {
      rmSync(join(folder, path), { recursive: true });
      mkdirSync(join(folder, path));
    }
    mkdirSync(join(folder, "var/cache/apt/archives/partial"));
    // Packages must not start what they install.
    writeFileSync(join(folder, "usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 101\n", { mode: 0o755 });
    commit("scratch", baseImage, [folder, "/"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The base with the Node of node_modules and the npm of this machine. */
function makeNode(): void {
  const folder = mkdtempSync(join(tmpdir(), "sluice-node-"));
  const modules = execFileSync("npm", ["root", "--global"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
  try {
    mkdirSync(join(folder, "bin"));
    cpSync(realpathSync(join(root, "node_modules/.bin/node")), join(folder, "bin/node"));
    cpSync(join(modules, "npm"), join(folder, "lib/node_modules/npm"), { recursive: true });
    writeFileSync(
      join(folder, "bin/npm"),
      '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
      {
        mode: 0o755,
      },
    );
    commit(baseImage, nodeImage, [folder, "/usr/local"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The base with Debian's curl. */
function makeClient(): void {
  const container = buildah("from", "--pull=never", baseImage);
  try {
    const install = "apt-get update -qq && apt-get install -y -qq --no-install-recommends curl ca-certificates";
    buildah("run", container, "--", "sh", "-c", install);
    buildah("commit", "--quiet", container, clientImage);
  } finally {
    buildah("rm", container);
  }
}

/** One image from another with a folder copied into it. */
function commit(from: string, name: string, [folder, target]: readonly [string, string]): void {
  const container = buildah("from", "--pull=never", from);
  try {
    buildah("copy", container, folder, target);
    buildah("commit", "--quiet", container, name);
  } finally {
    buildah("rm", container);
  }
}

const exists = (name: string) => buildah("images", "--filter", `reference=${name}`, "--quiet") !== "";

function installTools(): void {
  const missing = ["buildah", "debootstrap", "runc"].filter(
    (tool) => !["/usr/bin", "/usr/sbin", "/usr/local/bin"].some((folder) => existsSync(join(folder, tool))),
  );
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0)
    throw new Error(`The image test needs root and ${missing.join(", ")}; install them first.`);
  const apt = (...args: string[]) => execFileSync("apt-get", args, { stdio: ["ignore", "ignore", "inherit"] });
  apt("update", "-qq");
  apt("install", "-y", "-qq", "--no-install-recommends", ...missing);
}

if (import.meta.main) {
  const since = performance.now();
  const how = buildImage();
  console.log(`image: ${image} was built in ${Math.round((performance.now() - since) / 1000)} s, ${how}`);
}
