/**
 * `npm pack` and `npm publish` run this before and after they pack. `prepare` makes the bundle and
 * a package.json for users, whose only dependencies are the packages that the bundle loads from
 * `node_modules`; the others are inside it. `restore` brings back the package.json of the checkout.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";

const root = join(import.meta.dirname, "..");
const file = join(root, "package.json");
const kept = join(root, "package.json.kept");

/** The bundle runs with it; a checkout brings a newer one. */
const oldestNode = ">=22.19";

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Returns the package.json for users. `loaded` are paths of packages in `node_modules`. */
export function forUsers({ devDependencies, scripts, allowScripts, ...words }: Package, loaded: readonly string[]) {
  const names = loaded.map((path) => path.replace(/^node_modules\//, ""));
  const dependencies = Object.fromEntries(names.map((name) => [name, words.dependencies[name]]));
  return { ...words, engines: { node: oldestNode }, dependencies };
}

async function prepare(): Promise<void> {
  restore(); // an earlier run may have been interrupted
  await bundle(join(root, "dist"));
  const { loaded } = JSON.parse(readFileSync(join(root, "dist/packages.json"), "utf8")) as { loaded: string[] };
  const text = readFileSync(file, "utf8");
  writeFileSync(kept, text);
  writeFileSync(file, `${JSON.stringify(forUsers(JSON.parse(text) as Package, loaded), null, 2)}\n`);
}

function restore(): void {
  if (existsSync(kept)) renameSync(kept, file);
}

if (import.meta.main) await (process.argv[2] === "prepare" ? prepare() : restore());
