/**
 * `npm run image`: builds the image for amd64 and arm64 into an OCI layout, without Docker and
 * without root. `npm run image -- pins` moves the pins of Debian's packages and of Node, and lists
 * the security fixes in between. `npm test image` runs this with `for-tests`, outside of the test's
 * network namespace.
 */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildImage } from "./image/build.ts";
import { movePins } from "./image/move-pins.ts";
import { defaultSuite, type Processor, processors, type Suite, suites } from "./image/suites.ts";
import { unpackClient, unpackImage } from "./image/unpacked.ts";

const usage = `Usage: npm run image -- [pins] [--suite=testing|trixie] [--processor=amd64|arm64 ...] [--output=FOLDER] [--tag=NAME]
  --suite      Debian's suite: testing has nginx 1.30 (the default), trixie has 1.26.
  --processor  Both, if none is named.
  --output     Where the OCI layout is written. Default: dist/image.
  --tag        The image's name in the layout; NAME-debug has a shell besides. Default: the version of package.json.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      suite: { type: "string", default: process.env.SLUICE_IMAGE_SUITE ?? defaultSuite },
      processor: { type: "string", multiple: true },
      output: { type: "string", default: "dist/image" },
      tag: { type: "string", default: process.env.npm_package_version ?? "latest" },
      help: { type: "boolean" },
    },
  });
  const suite = values.suite as Suite;
  const chosen = (values.processor ?? Object.keys(processors)) as Processor[];
  const [command = "build"] = positionals;
  if (values.help) return console.log(usage);
  if (
    !(suite in suites) ||
    chosen.some((one) => !(one in processors)) ||
    !["build", "pins", "for-tests"].includes(command)
  ) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  if (command === "pins") return await movePins(suite);
  if (command === "for-tests") return await buildForTests(suite);
  rmSync(values.output, { recursive: true, force: true });
  const { descriptor } = await buildImage({
    suite,
    processors: chosen,
    folder: values.output,
    tag: values.tag,
    whenGone: "fail",
  });
  console.log(`image: ${values.output} holds ${values.tag} for ${chosen.join(" and ")}: ${descriptor.digest}`);
}

async function buildForTests(suite: Suite): Promise<void> {
  const since = performance.now();
  installTools();
  const { nginx, digest } = await unpackImage(suite);
  await unpackClient();
  const seconds = Math.round((performance.now() - since) / 1000);
  console.log(`image: ${digest} with nginx ${nginx} was built in ${seconds} s`);
}

/**
 * Installs runc for the tests' containers, and tools that read the capabilities of files and the
 * libraries of programs.
 */
function installTools(): void {
  const needed = { runc: "runc", getcap: "libcap2-bin", xz: "xz-utils", gpgv: "gpgv", objdump: "binutils" };
  const folders = ["/usr/bin", "/usr/sbin", "/sbin", "/bin"];
  const missing = Object.entries(needed).filter(([tool]) => !folders.some((folder) => existsSync(`${folder}/${tool}`)));
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  if (process.getuid?.() !== 0)
    throw new Error(`The image's tests need root and ${packages.join(", ")}; install them first.`);
  const apt = (...args: string[]) => execFileSync("apt-get", args, { stdio: ["ignore", "ignore", "inherit"] });
  apt("update", "-qq");
  apt("install", "-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", ...packages);
}

try {
  await main();
} catch (cause) {
  console.error(`image: ${cause instanceof Error ? cause.message : String(cause)}`);
  process.exitCode = 1;
}
