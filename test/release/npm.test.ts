/** Uses the package of npm as its users do: installed in an empty folder, without a checkout. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, describe, expect, test } from "vitest";
import { installed } from "../../scripts/release/for-tests.ts";

const root = join(import.meta.dirname, "../..");
const home = join(installed.user, "node_modules/@sluice-ingress/sluice");
const shop = join(root, "examples/shop");
const folder = mkdtempSync(join(tmpdir(), "sluice-npm-"));
afterAll(() => rmSync(folder, { recursive: true }));

const nodes = [
  ["Node 22.19", installed.oldNode],
  ["Node 24", process.execPath],
] as const;

/**
 * Another system: no program can be started, and no file of Linux can be read. The tools must not
 * notice.
 */
const strange = join(folder, "strange.cjs");
writeFileSync(
  strange,
  `const fs = require("node:fs");
Object.defineProperty(process, "platform", { value: "win32" });
const isOfLinux = (path) => /^\\/(proc|sys|usr|etc|run|var|dev|bin|lib)\\//.test(String(path));
for (const module of [fs, fs.promises])
  for (const [name, real] of Object.entries(module))
    if (typeof real === "function" && /^(read|open|stat|lstat|exists|access|realpath|createRead)/.test(name))
      module[name] = function (path, ...rest) {
        if (!isOfLinux(path)) return real.call(this, path, ...rest);
        if (name === "existsSync") return false;
        throw Object.assign(new Error("ENOENT: " + path), { code: "ENOENT" });
      };
const children = require("node:child_process");
for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"])
  children[name] = (program) => { throw new Error("the tool started " + program); };
require("node:module").syncBuiltinESMExports();
`,
);

const tools: readonly (readonly [words: readonly string[], expected: string, code: number])[] = [
  [["--version"], "Sluice 0.1.0", 0],
  [["help"], "Usage: sluice COMMAND", 0],
  [["check", shop], "no errors and no warnings", 0],
  [["compat", shop], "Ingress", 0],
  [["convert", shop], "kind: HTTPRoute", 1] /* as a route differs */,
  [["diff", shop, shop], "nothing", 0],
  [["render", shop], "server_name", 0],
  [["explain", "server-alias"], "Further names of the host", 0],
  [["why", "http://shop.localhost/", shop], "Ingress shop/", 0],
  [["routes", shop], "shop.localhost", 0],
  [["reference", "flags"], "# ", 0],
  [["completion", "bash"], "complete", 0],
];

interface Invocation {
  readonly command?: string;
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

describe.each(nodes)("with %s", (_, node) => {
  const run = (words: readonly string[], { command = "sluice", options = [], env = {} }: Invocation = {}) =>
    execa(node, [...options, join(installed.user, "node_modules/.bin", command), ...words], {
      reject: false,
      all: true,
      cwd: folder,
      env: { HOME: folder, XDG_CACHE_HOME: folder, PATH: "/nowhere", ...env },
      extendEnv: false,
    });

  test.each(tools)("sluice %j needs nothing of Linux", async (words, expected, expectedCode) => {
    const { all, exitCode } = await run(words, { options: ["--require", strange] });
    expect(all).toContain(expected);
    expect([exitCode, all]).toEqual([expectedCode, expect.not.stringContaining("the tool")]);
  });

  test("check reads standard input", async () => {
    const { all, exitCode } = await execa(node, [join(home, "bin/sluice.mjs"), "check", "-"], {
      input: readFileSync(join(shop, readdirSync(shop).find((name) => name.endsWith(".yaml"))!)),
      reject: false,
      all: true,
    });
    expect([exitCode, all]).toEqual([expect.toBeOneOf([0, 1]), expect.stringMatching(/error|warning/)]);
  });

  test("serve says what it needs", async () => {
    const elsewhere = await run(["serve", shop], { options: ["--require", strange] });
    expect([elsewhere.exitCode, elsewhere.all]).toEqual([
      1,
      expect.stringContaining("sluice serve: it needs Linux with"),
    ]);
    const without = await run(["serve", shop], { env: { NGINX_BINARY: "/no/nginx", PATH: process.env.PATH! } });
    expect([without.exitCode, without.all]).toEqual([
      1,
      expect.stringContaining("/no/nginx was not found; install nginx"),
    ]);
  });

  test("it is a plugin of kubectl", async () => {
    const { all, exitCode } = await run(["check", shop], { command: "kubectl-sluice" });
    expect([exitCode, all]).toEqual([0, expect.stringContaining("no errors")]);
  });
});

test("an older Node is told which one is needed", async () => {
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
  writeFileSync(join(folder, "old.cjs"), old);
  const words = ["--require", join(folder, "old.cjs"), join(home, "bin/sluice.mjs"), "--version"];
  const { stderr, exitCode } = await execa(process.execPath, words, { reject: false });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^sluice: it needs Node 22\.19 or newer, and this is v/),
  ]);
});

test("the package has no sources and no dependency but those that the bundle loads", () => {
  const text = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Record<string, object>;
  expect(Object.keys(text)).not.toContain("devDependencies");
  expect(Object.keys(text.dependencies!)).toEqual(["yaml"]);
  expect(text.engines).toEqual({ node: ">=22.19" });
  expect(Object.keys(text.bin!)).toEqual(["sluice", "kubectl-sluice"]);
  const files = readdirSync(home, { recursive: true, encoding: "utf8" });
  expect(files.filter((name) => /\.ts$|^(src|test|scripts)\b|\.map$/.test(name))).toEqual([]);
  for (const needed of ["LICENSE", "README.md", "dist/main.js", "templates/nginx.tmpl", "ui/index.html"])
    expect(files).toContain(needed);
});

test("the checkout has its own package.json again after it was packed", () => {
  const names = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object);
  expect(names).toContain("devDependencies");
});
