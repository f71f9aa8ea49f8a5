/**
 * `node image/controller.mjs OUT`: the part of the image that is the same for every processor: the
 * bundle in `dist`, the files that the program reads, and packages of npm. Those that the program
 * loads are there as a whole. Of those in the bundle there are only the licences, and package.json
 * for the bill of materials.
 */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [out] = process.argv.slice(2);
const home = join(out, "opt/sluice");

/** Files that Node never loads, such as TypeScript's types and source maps. */
const unused = /\.(map|ts|mts|cts|md|markdown|flow)$/;
const legal = /^(licen[cs]e|copying|notice|copyright)\b|^package\.json$/i;

const copy = (from, to, filter = () => true) => cpSync(from, to, { recursive: true, filter, dereference: false });
const { bundled, loaded } = JSON.parse(readFileSync("dist/packages.json", "utf8"));
for (const name of [...bundled, ...loaded]) {
  if (loaded.includes(name)) copy(name, join(home, name), (path) => !unused.test(path));
  for (const file of readdirSync(name)) if (legal.test(file)) copy(join(name, file), join(home, name, file));
}
const files = ["package.json", "docs/differences.md", "docs/chart-values.md", "charts/sluice/values.schema.json"];
for (const name of ["dist", "templates", "ui", "nginx/lua", ...files]) copy(name, join(home, name));
rmSync(join(home, "ui/tsconfig.json"));
// The rights of files in a checkout depend on its owner's umask. Some packages have commands, which
// nothing here starts.
for (const file of readdirSync(out, { recursive: true, withFileTypes: true }))
  if (!file.isSymbolicLink()) chmodSync(join(file.parentPath, file.name), file.isDirectory() ? 0o755 : 0o644);

// Programs at the root have the names that Pods written for ingress-nginx start.
for (const name of readdirSync("image/programs")) {
  copy(join("image/programs", name), join(out, name));
  chmodSync(join(out, name), 0o755);
}
mkdirSync(join(out, "usr/local/bin"), { recursive: true });
for (const [script, program] of [
  ["main", "usr/local/bin/sluice"],
  ["default-backend", "default-backend"],
]) {
  const file = join(home, `dist/${script}.js`);
  writeFileSync(file, `#!/usr/local/bin/node\n${readFileSync(file, "utf8")}`, { mode: 0o755 });
  chmodSync(file, 0o755);
  symlinkSync(`/opt/sluice/dist/${script}.js`, join(out, program));
}
