/**
 * Compiles the C parts of the image with Debian's compiler of the same suite, unpacked into a
 * folder of the cache and entered with chroot. So the bytes depend on the pins and not on the
 * machine's own compiler. The part for the other processor is cross-compiled; nothing is emulated.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import type { Pin } from "./lock.ts";
import { sha256 } from "./mirror.ts";
import { fileOf, imageCache, place } from "./store.ts";
import { builder, type Processor, processors } from "./suites.ts";

const repository = join(import.meta.dirname, "../..");
const sourceFolder = "/usr/share/nginx/src";
/** Our own modules of nginx. The names of their C files begin with these words. */
const modules = ["ngx_http_upstream_ssl_san", "ngx_http_kept_request_body"] as const;
const fileOfModule = (name: string): string => `${name}_module.so`;

export interface Compiled {
  readonly init: Buffer;
  /** The compiled modules, by the names of their files. */
  readonly modules: ReadonlyMap<string, Buffer>;
}

/**
 * Compiles for one processor, or returns the results of an earlier build with the same pins and
 * sources.
 */
export function compiled(processor: Processor, pins: readonly Pin[]): Compiled {
  if (process.arch !== processors[builder].npm)
    throw new Error(`The C parts of the image are compiled on ${builder} alone.`);
  const tools = pins.filter(({ use }) => use === "compiler" || (use === "cross-compiler" && processor !== builder));
  const headers = pins.filter(
    (pin) => pin.use === "headers" && (pin.processor === processor || pin.processor === builder),
  );
  const key = hashOf([...tools, ...headers]);
  const kept = join(imageCache(), "compiled", `${processor}-${key}`);
  const isKept =
    process.env.SLUICE_COMPILE_ANEW === undefined && products.every((name) => existsSync(join(kept, name)));
  if (!isKept) compile(processor, tools, headers, kept);
  const [init, ...others] = products.map((name) => [name, readFileSync(join(kept, name))] as const);
  return { init: init![1], modules: new Map(others) };
}

const products = ["sluice-init", ...modules.map(fileOfModule)];

function hashOf(pins: readonly Pin[]): string {
  const sources = [
    ...globSync("image/init/*", { cwd: repository }),
    ...globSync("nginx/modules/*", { cwd: repository }),
    "scripts/image/toolchain.ts",
  ];
  const texts = sources.toSorted().map((path) => readFileSync(join(repository, path), "utf8"));
  return sha256(Buffer.from(JSON.stringify([texts, pins.map((pin) => pin.sha256)]))).slice(0, 16);
}

function compile(processor: Processor, tools: readonly Pin[], headers: readonly Pin[], target: string): void {
  mkdirSync(imageCache(), { recursive: true });
  const root = mkdtempSync(join(imageCache(), "compile-"));
  try {
    unpack(root, processor, tools, headers);
    cpSync(join(repository, "image/init"), join(root, "init"), { recursive: true });
    cpSync(join(repository, "nginx/modules"), join(root, "module"), { recursive: true });
    runInside(root, ["/bin/sh", "-euc", script(processor)]);
    mkdirSync(target, { recursive: true });
    for (const name of products) place(join(target, name), readFileSync(join(root, "out", name)));
  } finally {
    rmSync(root, { recursive: true });
  }
}

function unpack(root: string, processor: Processor, tools: readonly Pin[], headers: readonly Pin[]): void {
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    mkdirSync(join(root, "usr", name), { recursive: true });
    symlinkSync(`usr/${name}`, join(root, name));
  }
  for (const name of ["tmp", "dev", "out"]) mkdirSync(join(root, name));
  chmodSync(join(root, "tmp"), 0o777);
  const extract = (pin: Pin, folder: string) => {
    mkdirSync(folder, { recursive: true });
    const tar = `dpkg-deb --fsys-tarfile "$0" | tar --extract --keep-directory-symlink --no-same-owner --exclude=./usr/share/doc --exclude=./usr/share/man --exclude=./usr/share/locale --directory "$1"`;
    execFileSync("sh", ["-c", tar, fileOf(pin), folder]);
  };
  for (const pin of tools) extract(pin, root);
  for (const pin of headers) {
    if (pin.processor === builder) extract(pin, root);
    if (pin.processor === processor && processor !== builder) extract(pin, join(root, "target"));
  }
}

const flags = [
  ...["-O2", "-g0", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro,-z,now", "-Wl,--build-id=none"],
  ...["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"],
].join(" ");
/**
 * Options that change nginx's structures. Debian builds with `--with-compat`, which makes them
 * equal for all other options.
 */
const options = [
  ...["--with-cc=gcc", "--with-compat", "--with-debug", "--with-threads", "--with-file-aio", "--with-pcre-jit"],
  ...["ssl", "v2", "v3", "realip"].map((name) => `--with-http_${name}_module`),
].join(" ");
const includes = [
  "core",
  "event",
  "event/modules",
  "event/quic",
  "os/unix",
  "http",
  "http/modules",
  "http/v2",
  "http/v3",
]
  .map((name) => `-I src/${name}`)
  .join(" ");

/**
 * configure records what it finds out by running small programs, so it runs for this machine's
 * processor. Both processors are 64-bit and little-endian, so its results hold for both.
 */
function script(processor: Processor): string {
  const gnu = processors[processor].gnu;
  const [compiler, target] =
    processor === builder
      ? ["gcc", ""]
      : [`${gnu}-gcc`, `-isystem /target/usr/include -isystem /target/usr/include/${gnu}`];
  const compileModule = (name: string) => `
printf '%s' '${listOf(name)}' > /tmp/${name}.c
${compiler} ${flags} -fPIC -shared ${target} ${includes} -I objs -I /module -o /out/${fileOfModule(name)} /module/${name}*.c /tmp/${name}.c`;
  return `
${compiler} ${flags} -fPIE -pie -o /out/sluice-init /init/*.c
cp -r ${sourceFolder} /build
cd /build
sh ./configure ${options} > /tmp/configure.log 2>&1 || { cat /tmp/configure.log >&2; exit 1; }
${modules.map(compileModule).join("")}
`;
}

/**
 * A file that nginx's own build makes for a dynamic module: it has the module's name, and its place
 * in the order of modules.
 */
const listOf = (name: string): string => `#include <ngx_config.h>
#include <ngx_core.h>
extern ngx_module_t ${name}_module;
ngx_module_t *ngx_modules[] = { &${name}_module, NULL };
char *ngx_module_names[] = { "${name}_module", NULL };
char *ngx_module_order[] = { NULL };
`;

function runInside(root: string, command: readonly string[]): void {
  const rights = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  execFileSync("unshare", [...rights, `--root=${root}`, "--wd=/", ...command], {
    env: { PATH: "/usr/bin:/usr/sbin", LC_ALL: "C", SOURCE_DATE_EPOCH: "0" },
    stdio: ["ignore", "inherit", "inherit"],
  });
}
