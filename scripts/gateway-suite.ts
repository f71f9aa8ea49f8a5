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

export const gatewayApiVersion = "1.6.3";

const suite = "sigs.k8s.io/gateway-api";
const echo = `${suite}/conformance/echo-basic`;
const lean = ["-trimpath", "-ldflags", "-s -w"];
const source = join(import.meta.dirname, "../test/conformance/suite/suite_test.go");

const folder = join(cacheFolder(process.env), `gateway-api-${gatewayApiVersion}`);
const channels = ["standard", "experimental"] as const;
/** A changed source is another program, so a cache of an older state is never used for it. */
const sourceHash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16);

export const gatewaySuite = {
  /** The suite as a program, with the flags of Go's tests and its own. */
  program: join(folder, `conformance-${sourceHash}`),
  /** The server that its Pods run. */
  echo: join(folder, "echo-basic"),
  /** The definitions of the standard and of the experimental channel. */
  definitions: (channel: (typeof channels)[number]) => join(folder, "crd", channel),
} as const;

/** Builds the parts that are missing. Throws when a build fails, with Go's output. */
export async function buildMissingSuite(): Promise<void> {
  if (missingParts().length === 0) return;
  mkdirSync(folder, { recursive: true });
  const unlock = await lock(join(folder, "building.lock"));
  try {
    const missing = missingParts();
    if (missing.length === 0) return;
    if (!hasGo()) throw new Error("the conformance suite of the Gateway API is missing: install Go, which builds it");
    const module = scratchModule(folder, "suite");
    const required = [suite, `${suite}/conformance`].map((name) => `require ${name} v${gatewayApiVersion}`);
    writeFileSync(join(module, "go.mod"), `module suite\ngo 1.26.0\n${required.join("\n")}\n`);
    writeFileSync(join(module, "suite_test.go"), readFileSync(source));
    writeFileSync(join(module, "tools.go"), `//go:build tools\n\npackage suite\n\nimport _ "${echo}"\n`);
    await go(module, "fetching the conformance suite", ["mod", "tidy"]);
    for (const part of missing) await parts[part].build(module);
    rmSync(module, { recursive: true });
  } finally {
    unlock();
  }
}

/** Each part gets its name only when it is complete, because tests take what has the name. */
const parts = {
  echo: {
    paths: [gatewaySuite.echo],
    build: (module: string) => build(folder, module, "echo-basic", lean, echo),
  },
  program: {
    paths: [gatewaySuite.program],
    build: async (module: string) => {
      await go(module, "building the conformance suite", ["test", "-c", ...lean, "-o", "conformance.test", "."]);
      renameSync(join(module, "conformance.test"), gatewaySuite.program);
    },
  },
  definitions: { paths: channels.map(gatewaySuite.definitions), build: copyDefinitions },
};

async function copyDefinitions(module: string): Promise<void> {
  const [at] = (await go(module, "finding its definitions", ["list", "-m", "-f", "{{.Dir}}", suite])).split("\n");
  const [copy, complete] = [join(module, "crd"), join(folder, "crd")];
  cpSync(join(at ?? "", "config/crd"), copy, { recursive: true });
  await execa("chmod", ["-R", "u+w", copy]);
  for (const channel of channels) rmSync(join(copy, channel, "kustomization.yaml"), { force: true });
  // A folder that lacks a channel is in the way of the new name.
  rmSync(complete, { recursive: true, force: true });
  renameSync(copy, complete);
}

function missingParts(): (keyof typeof parts)[] {
  const names = Object.keys(parts) as (keyof typeof parts)[];
  return names.filter((name) => !parts[name].paths.every(existsSync));
}

if (import.meta.main) await buildMissingSuite();
