/** The part of the image that Node runs, as the Dockerfile makes it: see image/controller.mjs. */
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "./bundle.ts";

const root = join(import.meta.dirname, "..");
let folder: string;
let home: string;
const main = () => join(home, "dist/main.js");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-bundle-"));
  const build = join(folder, "build");
  const files = ["package.json", "docs/differences.md", "docs/chart-values.md", "charts/sluice/values.schema.json"];
  for (const name of ["templates", "ui", "nginx/lua", "image", ...files]) {
    mkdirSync(dirname(join(build, name)), { recursive: true });
    cpSync(join(root, name), join(build, name), { recursive: true });
  }
  // As in the checkout of somebody whose umask keeps others out.
  await execa("chmod", ["-R", "go-rwx", build]);
  symlinkSync(join(root, "node_modules"), join(build, "node_modules"));
  await bundle(join(build, "dist"));
  await execa(process.execPath, ["image/controller.mjs", join(folder, "out")], { cwd: build });
  home = join(folder, "out/opt/sluice");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the bundle loads only modules of Node and the packages that ship with it", () => {
  const codes = globSync("dist/*.js", { cwd: home }).map((file) => readFileSync(join(home, file), "utf8"));
  const names = codes.flatMap((code) => [...code.matchAll(/\b(?:require|import|load)\("([^".][^"]*)"\)/g)]);
  const others = new Set(names.map(([, name]) => name!).filter((name) => !isBuiltin(name)));
  // debug goes on without supports-color.
  expect([...others].sort()).toEqual(["supports-color", "yaml"]);
});

test("every account can read the files, and start the programs at the root and no other file", () => {
  const out = join(folder, "out");
  const all = globSync("**/*", { cwd: out, withFileTypes: true }).filter((file) => !file.isSymbolicLink());
  const modes = all.map((file) => {
    const path = join(file.parentPath, file.name);
    const isProgram = file.parentPath === out || /dist\/(main|default-backend)\.js$/.test(path);
    const wanted = file.isDirectory() || isProgram ? 0o755 : 0o644;
    return (statSync(path).mode & 0o777) === wanted ? [] : [path];
  });
  expect(modes.flat()).toEqual([]);
  expect(all.length).toBeGreaterThan(100);
});

test("of packages in the bundle only the licences and package.json ship", () => {
  const shipped = globSync("node_modules/**/*", { cwd: home, withFileTypes: true }).filter((file) => file.isFile());
  const others = shipped.filter(({ name }) => !/^(licen[cs]e|copying|notice|copyright|package\.json)/i.test(name));
  const code = others.map(({ parentPath, name }) => join(parentPath, name).slice(home.length + 1));
  expect(code.filter((file) => !file.startsWith("node_modules/yaml/"))).toEqual([]);
  expect(code.length).toBeGreaterThan(10);
});

test("the program starts without other packages, and reads YAML that needs the careful reader", async () => {
  const file = join(folder, "anchors.yaml");
  const service = "kind: Service\napiVersion: v1\nmetadata: {name: a, namespace: &n shop, labels: {n: *n}}\n";
  writeFileSync(file, `${service}spec: {ports: [{port: 80}]}\n`);
  const check = await execa(process.execPath, [main(), "check", file], { reject: false, all: true, cwd: folder });
  expect(check.all).not.toContain("Cannot find");
  expect(check.exitCode).toBe(0);
});

test("the bill of materials names what is in the bundle, with licences, and nothing else", async () => {
  const list = join(folder, "files.txt");
  writeFileSync(list, "nginx 1.30.0-1 amd64 00\n");
  const env = { TARGETARCH: process.arch === "x64" ? "amd64" : process.arch };
  const args = [join(root, "image/bill.mjs"), home, list, process.execPath];
  const { stdout } = await execa(process.execPath, args, { env });
  const bill = JSON.parse(stdout) as { packages: { name: string; licenseDeclared: string }[] };
  const npm = bill.packages.filter(({ name }) => name !== "nginx");
  expect(npm.filter(({ licenseDeclared }) => licenseDeclared === "NOASSERTION")).toEqual([]);
  const names = npm.map(({ name }) => name);
  const used = [
    "@sluice-ingress/sluice",
    "node",
    "execa",
    "handlebars",
    "@kubernetes/client-node",
    "openid-client",
    "yaml",
  ];
  expect(names).toEqual(expect.arrayContaining(used));
  expect(names).not.toContain("undici");
  expect(names).not.toContain("rolldown");
});
