/**
 * Builds the public conformance suite of the Gateway API, with the server of its Pods and its
 * definitions. It is built once, from the published Go modules without any change, into a cache
 * outside the repository.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, cacheFolder, go, hasGo, lock, scratchModule } from "./go-builds.ts";

export const gatewayApiVersion = "1.6.3";

const suite = "sigs.k8s.io/gateway-api";
const echo = `${suite}/conformance/echo-basic`;
const source = join(import.meta.dirname, "../test/conformance/suite/suite_test.go");

const folder = join(cacheFolder(process.env), `gateway-api-${gatewayApiVersion}`);

export const gatewaySuite = {
  /** The suite as a program, with the flags of Go's tests and its own. */
  program: join(folder, "conformance"),
  /** The server that its Pods run. */
  echo: join(folder, "echo-basic"),
  /** The definitions of the standard and of the experimental channel. */
  definitions: (channel: "standard" | "experimental") => join(folder, "crd", channel),
} as const;

/** Throws when the build fails, with Go's output. */
export async function buildMissingSuite(): Promise<void> {
  const isThere = () => [gatewaySuite.program, gatewaySuite.echo, join(folder, "crd")].every(existsSync);
  if (isThere()) return;
  mkdirSync(folder, { recursive: true });
  const unlock = await lock(join(folder, "building.pid"));
  try {
    if (isThere()) return;
    if (!hasGo()) throw new Error("the conformance suite of the Gateway API is missing: install Go, which builds it");
    const module = scratchModule(folder, "suite");
    const required = [suite, `${suite}/conformance`].map((name) => `require ${name} v${gatewayApiVersion}`);
    writeFileSync(join(module, "go.mod"), `module suite\ngo 1.26.0\n${required.join("\n")}\n`);
    writeFileSync(join(module, "suite_test.go"), readFileSync(source));
    writeFileSync(join(module, "tools.go"), `//go:build tools\n\npackage suite\n\nimport _ "${echo}"\n`);
    await go(module, "fetching the conformance suite", ["mod", "tidy"]);
    const lean = ["-trimpath", "-ldflags", "-s -w"];
    await build(folder, module, "echo-basic", lean, echo);
    await go(module, "building the conformance suite", ["test", "-c", ...lean, "-o", "conformance.test", "."]);
    renameSync(join(module, "conformance.test"), gatewaySuite.program);
    const [at] = (await go(module, "finding its definitions", ["list", "-m", "-f", "{{.Dir}}", suite])).split("\n");
    const copy = join(module, "crd");
    cpSync(join(at ?? "", "config/crd"), copy, { recursive: true });
    execFileSync("chmod", ["-R", "u+w", copy]);
    for (const channel of ["standard", "experimental"])
      rmSync(join(copy, channel, "kustomization.yaml"), { force: true });
    renameSync(copy, join(folder, "crd"));
    rmSync(module, { recursive: true });
  } finally {
    unlock();
  }
}

if (import.meta.main) await buildMissingSuite();
