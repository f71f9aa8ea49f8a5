/**
 * Provides promtool, Prometheus's own checker of metrics, rules and queries: the one in `PROMTOOL`
 * or on the PATH, else one that is built once from its Go module. The module includes clients of
 * twenty clouds, which take ten minutes to build. They are left out, because no test needs them.
 */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { build, cacheFolder, go, hasGo, lock, scratchModule } from "./go-builds.ts";

const version = "0.308.1";
const source = "github.com/prometheus/prometheus";

/** Returns the path of the program, whether or not it has been built yet. */
export function promtoolPath(env: NodeJS.ProcessEnv = process.env): string {
  const installed = (env.PATH ?? "").split(delimiter).map((folder) => join(folder, "promtool"));
  const given = [env.PROMTOOL, ...installed].find((path) => path !== undefined && existsSync(path));
  return given ?? join(folderOf(env), "promtool");
}

const folderOf = (env: NodeJS.ProcessEnv): string => join(cacheFolder(env), `promtool-${version}`);

/** Throws when the build fails, with Go's output. */
export async function buildMissingPromtool(): Promise<void> {
  if (existsSync(promtoolPath())) return;
  const folder = folderOf(process.env);
  mkdirSync(folder, { recursive: true });
  const unlock = await lock(join(folder, "building.lock"));
  try {
    if (existsSync(promtoolPath())) return;
    if (!hasGo()) throw new Error("promtool is missing: set PROMTOOL or install Go, which builds it");
    const module = scratchModule(folder, "promtool");
    await go(module, "fetching promtool", ["get", `${source}/cmd/promtool@v${version}`]);
    const { Dir } = JSON.parse(
      await go(module, "fetching promtool", ["mod", "download", "-json", `${source}@v${version}`]),
    );
    const copy = join(module, "prometheus");
    cpSync(Dir, copy, { recursive: true });
    await execa("chmod", ["-R", "u+w", copy]);
    writeFileSync(join(copy, "plugins/plugins.go"), "package plugins\n");
    await go(module, "fetching promtool", ["mod", "edit", "-replace", `${source}=./prometheus`]);
    await build(folder, module, "promtool", ["-ldflags", "-s -w"], `${source}/cmd/promtool`);
    rmSync(module, { recursive: true });
  } finally {
    unlock();
  }
}

if (import.meta.main) await buildMissingPromtool();
