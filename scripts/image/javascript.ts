/**
 * The part of the image that is the same for every processor: the bundled controller, and the npm
 * packages in it with their licences. Some packages are not bundled and are loaded as they are.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../bundle.ts";
import { file, folder, link, type Tree } from "./tree.ts";

const repository = join(import.meta.dirname, "../..");
const home = "opt/sluice";

/** Files that Node never loads, such as TypeScript's types and source maps. */
const unused = /\.(map|ts|mts|cts|md|markdown|flow)$/;

export async function controllerTree(): Promise<Tree> {
  const tree: Tree = new Map();
  const dist = mkdtempSync(join(tmpdir(), "sluice-dist-"));
  try {
    await bundle(dist);
    copy(tree, dist, `${home}/dist`);
  } finally {
    rmSync(dist, { recursive: true });
  }
  for (const name of runtimePackages())
    copy(
      tree,
      join(repository, name),
      `${home}/${name}`,
      (path) => !unused.test(path) && !path.startsWith("node_modules/"),
    );
  copy(tree, join(repository, "templates"), `${home}/templates`);
  copy(tree, join(repository, "ui"), `${home}/ui`, (path) => path !== "tsconfig.json");
  copy(tree, join(repository, "nginx/lua"), `${home}/nginx/lua`);
  // The pages that sluice compat reads.
  for (const name of [
    "package.json",
    "docs/differences.md",
    "docs/chart-values.md",
    "charts/sluice/values.schema.json",
  ])
    tree.set(`${home}/${name}`, file(readFileSync(join(repository, name))));
  tree.set(
    "etc/nginx/owasp-modsecurity-crs/nginx-modsecurity.conf",
    file(readFileSync(join(repository, "image/owasp-crs.conf"))),
  );
  for (const name of ["nginx-ingress-controller", "wait-shutdown", "sluice-nginx", "default-backend", "dbg"])
    tree.set(name, link("sluice-init"));
  tree.set("usr/local/bin/sluice", link("/sluice-init"));
  tree.set("usr/lib/sluice/guarded-nginx", link("/sluice-init"));
  tree.set(home, folder());
  return tree;
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

/** Returns the folders of the npm packages that the program uses, as package-lock.json has them. */
export function runtimePackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  const names = Object.keys(packages).filter(
    (name) => name !== "" && !packages[name]!.dev && !packages[name]!.devOptional,
  );
  // Matches files for the runtime Bare, compiled for many processors; Node loads none of them.
  return names.filter((name) => !name.includes("node_modules/bare-")).filter((name) => isThere(join(repository, name)));
}

function copy(tree: Tree, from: string, to: string, isWanted: (path: string) => boolean = () => true): void {
  for (const path of globSync("**/*", { cwd: from }).toSorted()) {
    const source = join(from, path);
    if (!isWanted(path) || !statSync(source).isFile()) continue;
    tree.set(`${to}/${path}`, file(readFileSync(source)));
  }
}

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
