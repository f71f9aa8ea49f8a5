/**
 * `npm run image`: builds the Dockerfile with docker, podman or buildah. `npm run image -- digests`
 * writes the digests of the base images. `npm test image` runs this with `for-tests`, outside of
 * the test's network namespace.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { baseImages } from "./image/base-images.ts";
import { build, defaultSuite, findBuilder, ownProcessor, type Processor, type Suite, suites } from "./image/builder.ts";
import { pinnedBases, writeDigests } from "./image/digests.ts";
import { unpackClient, unpackImage } from "./image/unpacked.ts";

const usage = `Usage: npm run image -- [digests] [--suite=testing|trixie] [--own-bases] [argument of docker build ...]
  digests      Writes image/digests: the base images with their present digests, which later builds use.
  --suite      Debian's suite: testing has nginx 1.30 (the default), trixie has 1.26.
  --own-bases  Makes the base images from Debian's and npm's packages, for machines that reach no registry of images.
               It needs Debian and root.
Other arguments are passed on, such as --platform=linux/arm64. The image is called sluice, unless --tag is given.`;

/** Programs that the tests and --own-bases need, with their packages in Debian. */
const testPrograms = { runc: "runc", getcap: "libcap2-bin", objdump: "binutils" };
const buildPrograms = { buildah: "buildah", mmdebstrap: "mmdebstrap" };

async function main(words: readonly string[]): Promise<void> {
  const { command, suite, ownBases, rest } = parsed(words);
  if (command === "help") return console.log(usage);
  if (command === "digests") return await writeDigests(suite);
  if (command === "for-tests") {
    const since = performance.now();
    await install({ ...testPrograms, ...buildPrograms });
    const { root } = await unpackImage(suite);
    await unpackClient();
    return console.log(`image: ${root} was built in ${Math.round((performance.now() - since) / 1000)} s`);
  }
  if (ownBases) await install(buildPrograms);
  const bases = ownBases ? await baseImages(suite, platform(rest)) : pinnedBases(suite);
  const tag = rest.some((word) => /^(-t|--tag)(=|$)/.test(word)) ? [] : ["--tag", "sluice"];
  await build(ownBases ? "buildah" : findBuilder(), [...bases, ...tag, ...rest]);
}

function parsed(words: readonly string[]) {
  const isCommand = ["digests", "for-tests"].includes(words[0] ?? "");
  const named = words.find((word) => word.startsWith("--suite="))?.slice("--suite=".length);
  const suite = (named ?? process.env.SLUICE_IMAGE_SUITE ?? defaultSuite) as Suite;
  const rest = words.slice(isCommand ? 1 : 0).filter((word) => !/^--suite=|^--own-bases$/.test(word));
  const isHelp = words.includes("--help") || !suites.includes(suite) || (isCommand && rest.length > 0);
  return {
    command: isHelp ? "help" : isCommand ? words[0] : "build",
    suite,
    ownBases: words.includes("--own-bases"),
    rest,
  };
}

function platform(rest: readonly string[]): Processor {
  const [, found] = /--platform[= ](?:linux\/)?(\w+)/.exec(rest.join(" ")) ?? [];
  return (found as Processor | undefined) ?? ownProcessor;
}

async function install(needed: Readonly<Record<string, string>>): Promise<void> {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  const missing = Object.entries(needed).filter(([tool]) => !folders.some((folder) => existsSync(join(folder, tool))));
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  if (process.getuid?.() !== 0) throw new Error(`This needs root and ${packages.join(", ")}; install them first.`);
  const apt = (...args: string[]) =>
    execa("apt-get", ["-y", "-qq", "-o", "DPkg::Lock::Timeout=120", ...args], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { DEBIAN_FRONTEND: "noninteractive" },
    });
  await apt("update");
  await apt("install", "--no-install-recommends", ...packages);
}

try {
  await main(process.argv.slice(2));
} catch (cause) {
  console.error(`image: ${cause instanceof Error ? cause.message : String(cause)}`);
  process.exitCode = 1;
}
