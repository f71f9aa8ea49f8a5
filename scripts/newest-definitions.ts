/**
 * Fetches the definitions of the newest Gateway API from its published Go module. Sluice serves an
 * older version, and a cluster may have these definitions already. So a test compares their fields
 * with those that Sluice knows.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { cacheFolder, go, hasGo, lock, scratchModule } from "./go-builds.ts";

export const newestGatewayApi = "1.7.0";

/** The module needs it, and an older Go fetches it. */
const version = { GOTOOLCHAIN: "go1.27.0" };

const folder = join(cacheFolder(process.env), `gateway-api-${newestGatewayApi}`);

/** Returns the folder with the definitions of a channel. */
export const newestDefinitions = (channel: "standard" | "experimental"): string => join(folder, "crd", channel);

/** Fetches them, if they are not there. */
export async function fetchNewestDefinitions(): Promise<void> {
  const complete = join(folder, "crd");
  if (existsSync(complete)) return;
  mkdirSync(folder, { recursive: true });
  const unlock = await lock(join(folder, "building.lock"));
  try {
    if (existsSync(complete)) return;
    if (!hasGo()) throw new Error("the definitions of the Gateway API are missing: install Go, which fetches them");
    const module = scratchModule(folder, "definitions");
    const wanted = `sigs.k8s.io/gateway-api@v${newestGatewayApi}`;
    const printed = await go(module, "fetching the newest definitions", ["mod", "download", "-json", wanted], version);
    const { Dir: source } = JSON.parse(printed) as { readonly Dir: string };
    const copy = join(module, "crd");
    for (const channel of ["standard", "experimental"]) {
      cpSync(join(source, "config/crd", channel), join(copy, channel), { recursive: true });
      // The files of a module are read-only.
      await execa("chmod", ["-R", "u+w", copy]);
      rmSync(join(copy, channel, "kustomization.yaml"), { force: true });
    }
    renameSync(copy, complete);
    rmSync(module, { recursive: true });
  } finally {
    unlock();
  }
}

if (import.meta.main) await fetchNewestDefinitions();
