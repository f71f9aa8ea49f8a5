/**
 * Builds the public conformance suite of the Gateway API, with the server of its Pods and its
 * definitions. It is built once, from the published Go modules without any change, into a cache
 * outside the repository.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { build, cacheFolder, go, hasGo, lock, scratchModule } from "./go-builds.ts";

const api = "sigs.k8s.io/gateway-api";
const images = "sigs.k8s.io/gateway-api-conformance-images";

/** How each version is built: the version of Go that its modules want, and its server of Pods. */
const versions = {
  // The version of the images that it names cannot be had everywhere, and the one before suffices.
  "1.7.0": { go: "1.27.0", echo: `${images}/echo-basic`, more: [`replace ${images} => ${images} v0.1.0`] },
  "1.6.3": { go: "1.26.0", echo: `${api}/conformance/echo-basic`, more: [] },
} as const;
export type GatewayApiVersion = keyof typeof versions;

const asked = process.env.GATEWAY_API_VERSION ?? "1.7.0";
if (!Object.hasOwn(versions, asked))
  throw new Error(`GATEWAY_API_VERSION=${asked}: there are ${Object.keys(versions).join(" and ")}`);
/** The version that the tests use. `GATEWAY_API_VERSION=1.6.3` tests the version before. */
export const gatewayApiVersion = asked as GatewayApiVersion;

const lean = ["-trimpath", "-ldflags", "-s -w"];
const source = join(import.meta.dirname, "../test/conformance/suite/suite_test.go");
const channels = ["standard", "experimental"] as const;
/** A changed source is another program, so a cache of an older state is never used for it. */
const sourceHash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16);
const folderOf = (version: GatewayApiVersion) => join(cacheFolder(process.env), `gateway-api-${version}`);
const folder = folderOf(gatewayApiVersion);

/** Returns the folder with the definitions of a channel. */
export const definitionsOf = (version: GatewayApiVersion, channel: (typeof channels)[number]): string =>
  join(folderOf(version), "crd", channel);

export const gatewaySuite = {
  /** The suite as a program, with the flags of Go's tests and its own. */
  program: join(folder, `conformance-${sourceHash}`),
  /** The server that its Pods run. */
  echo: join(folder, "echo-basic"),
  definitions: (channel: (typeof channels)[number]) => definitionsOf(gatewayApiVersion, channel),
} as const;

/** Fetches the definitions of a version if they are not there. */
export async function fetchDefinitions(version: GatewayApiVersion): Promise<void> {
  await alone(version, async () => {
    if (!channels.every((channel) => existsSync(definitionsOf(version, channel)))) await copyDefinitions(version);
  });
}

/** Builds the parts that are missing. Throws when a build fails, with Go's output. */
export async function buildMissingSuite(): Promise<void> {
  await fetchDefinitions(gatewayApiVersion);
  const { program, echo } = gatewaySuite;
  if (existsSync(program) && existsSync(echo)) return;
  await alone(gatewayApiVersion, async () => {
    const { go: goVersion, echo: echoSource, more } = versions[gatewayApiVersion];
    const module = scratchModule(folder, "suite");
    const required = [api, `${api}/conformance`].map((name) => `require ${name} v${gatewayApiVersion}`);
    writeFileSync(join(module, "go.mod"), ["module suite", `go ${goVersion}`, ...required, ...more, ""].join("\n"));
    writeFileSync(join(module, "suite_test.go"), readFileSync(source));
    writeFileSync(join(module, "tools.go"), `//go:build tools\n\npackage suite\n\nimport _ "${echoSource}"\n`);
    const env = toolchain(gatewayApiVersion);
    await go(module, "fetching the conformance suite", ["mod", "tidy"], env);
    if (!existsSync(echo)) await build(folder, module, "echo-basic", lean, echoSource, env);
    if (!existsSync(program)) {
      const words = ["test", "-c", "-vet=off", ...lean, "-o", "conformance.test", "."];
      await go(module, "building the conformance suite", words, env);
      renameSync(join(module, "conformance.test"), program);
    }
    rmSync(module, { recursive: true });
  });
}

/** An older Go fetches the version that the modules want. */
const toolchain = (version: GatewayApiVersion) => ({ GOTOOLCHAIN: `go${versions[version].go}+auto` });

/** Does `work` while no other process builds this version. */
async function alone(version: GatewayApiVersion, work: () => Promise<void>): Promise<void> {
  mkdirSync(folderOf(version), { recursive: true });
  const unlock = await lock(join(folderOf(version), "building.lock"));
  try {
    await work();
  } finally {
    unlock();
  }
}

/** The copy gets its name only when it is complete, because tests take what has the name. */
async function copyDefinitions(version: GatewayApiVersion): Promise<void> {
  if (!hasGo()) throw new Error("the definitions of the Gateway API are missing: install Go, which fetches them");
  const module = scratchModule(folderOf(version), "definitions");
  const words = ["mod", "download", "-json", `${api}@v${version}`];
  const printed = await go(module, "fetching the definitions of the Gateway API", words, toolchain(version));
  const { Dir: published } = JSON.parse(printed) as { readonly Dir: string };
  const [copy, complete] = [join(module, "crd"), join(folderOf(version), "crd")];
  for (const channel of channels)
    cpSync(join(published, "config/crd", channel), join(copy, channel), { recursive: true });
  // The files of a module are read-only.
  await execa("chmod", ["-R", "u+w", copy]);
  for (const channel of channels) rmSync(join(copy, channel, "kustomization.yaml"), { force: true });
  // A folder that lacks a channel is in the way of the new name.
  rmSync(complete, { recursive: true, force: true });
  renameSync(copy, complete);
  rmSync(module, { recursive: true });
}

if (import.meta.main) await buildMissingSuite();
