/**
 * Sets up what a fresh machine lacks: the npm packages (Node 24 among them) and nginx with Lua and
 * stream. Runs on whatever Node is installed, so it is plain JavaScript and imports nothing outside
 * Node.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const nginxPackages = [
  "nginx",
  "libnginx-mod-http-lua",
  "libnginx-mod-stream",
  "libnginx-mod-http-headers-more-filter",
  "lua-cjson",
];

/**
 * Packages of nginx modules that a few tests need, and the file of each. If a package is not
 * available, its tests are skipped with a message.
 */
const optionalModules = {
  "libnginx-mod-http-brotli-filter": "ngx_http_brotli_filter_module.so",
  "libnginx-mod-http-geoip2": "ngx_http_geoip2_module.so",
  "libnginx-mod-http-modsecurity": "ngx_http_modsecurity_module.so",
};
const modulesFolder = "/usr/lib/nginx/modules";
/** Packages that compile the image's process 1, for the tests that need no image. */
const compilerPackages = ["gcc", "libc6-dev"];

await installNodeModules();
await installNginx();
await installOptionalModules();
await installCompiler();

/**
 * `npm install` writes a lockfile of its own into node_modules. If that is older than
 * package-lock.json, something has changed.
 */
async function installNodeModules() {
  const installed = `${root}node_modules/.package-lock.json`;
  const wanted = [`${root}package-lock.json`, `${root}package.json`];
  if (existsSync(installed) && wanted.every((file) => statSync(file).mtimeMs <= statSync(installed).mtimeMs)) return;
  say("installing npm packages");
  await must("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], "npm install failed");
}

async function installNginx() {
  if (haveNginx()) return;
  const packages = nginxPackages.join(" ");
  if (!has("apt-get")) fail(`nginx with its Lua and stream modules is missing: install it (on Debian: ${packages})`);
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  if (asRoot.length > 0 && spawnSync("sudo", ["-n", "true"]).status !== 0) {
    fail(`nginx with its Lua and stream modules is missing, and installing it needs root: apt-get install ${packages}`);
  }
  say(`installing ${packages}`);
  await withoutSystemService(asRoot, async () => {
    const apt = (...args) => run(asRoot, "apt-get", [...args, "-y", "-q", "-o", "DPkg::Lock::Timeout=120"]);
    await apt("update");
    await apt("install", "--no-install-recommends", ...nginxPackages, "iproute2");
  });
  if (!haveNginx()) fail(`nginx could not be installed; try by hand: apt-get install ${packages}`);
}

/**
 * Tries once: a machine without such a package is not asked again until its node_modules are new.
 */
async function installOptionalModules() {
  const tried = `${root}node_modules/.nginx-modules-tried`;
  const missing = Object.entries(optionalModules).filter(([, file]) => !existsSync(`${modulesFolder}/${file}`));
  if (missing.length === 0 || existsSync(tried) || !has("apt-get") || process.getuid?.() !== 0) return;
  say(`installing ${missing.map(([name]) => name).join(" ")}`);
  await withoutSystemService([], async () => {
    for (const [name] of missing) {
      await run([], "apt-get", [
        "install",
        "--no-install-recommends",
        "-y",
        "-q",
        "-o",
        "DPkg::Lock::Timeout=120",
        name,
      ]);
    }
  });
  writeFileSync(tried, "");
}

/**
 * Tries once, as above. If there is none, the tests that need it fail and name these packages.
 */
async function installCompiler() {
  const tried = `${root}node_modules/.compiler-tried`;
  if (has("cc") || existsSync(tried) || !has("apt-get") || process.getuid?.() !== 0) return;
  say(`installing ${compilerPackages.join(" ")}`);
  const apt = (...args) => run([], "apt-get", [...args, "-y", "-q", "-o", "DPkg::Lock::Timeout=120"]);
  await apt("update");
  await apt("install", "--no-install-recommends", ...compilerPackages);
  writeFileSync(tried, "");
}

function haveNginx() {
  const needed = ["ngx_http_lua_module.so", "ngx_stream_module.so", "ngx_http_headers_more_filter_module.so"];
  const cjson = ["x86_64", "aarch64"].some((cpu) => existsSync(`/usr/lib/${cpu}-linux-gnu/lua/5.1/cjson.so`));
  return has("nginx") && cjson && needed.every((file) => existsSync(`${modulesFolder}/${file}`));
}

/**
 * Debian starts a service when it installs one. A `policy-rc.d` that answers 101 prevents that, so
 * port 80 stays free.
 */
async function withoutSystemService(asRoot, install) {
  const policy = "/usr/sbin/policy-rc.d";
  if (existsSync(policy)) return install();
  const draft = `${root}node_modules/.policy-rc.d`;
  writeFileSync(draft, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  await run(asRoot, "install", ["-m", "755", draft, policy]);
  rmSync(draft);
  try {
    await install();
  } finally {
    await run(asRoot, "rm", ["-f", policy]);
  }
}

function has(command) {
  const paths = `${process.env.PATH ?? ""}:/usr/sbin:/sbin`.split(":");
  return paths.some((folder) => existsSync(`${folder}/${command}`));
}

async function run(asRoot, command, args) {
  const [head, ...rest] = [...asRoot, command, ...args];
  const { code, errors } = await watched(head, rest, { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  if (code !== 0) process.stderr.write(errors);
}

async function must(command, args, otherwise) {
  const { code, errors } = await watched(command, args, { cwd: root });
  process.stderr.write(errors);
  if (code !== 0) fail(otherwise);
}

/**
 * Prints every few seconds how long the command has run, because a minute of silence looks like a
 * program that hangs.
 */
function watched(command, args, options) {
  return new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(command, args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
    const ticking = setInterval(() => say(`  ${Math.round((Date.now() - started) / 1000)} s so far`), 5_000);
    let errors = "";
    child.stderr.on("data", (data) => {
      errors += data;
    });
    const done = (code) => {
      clearInterval(ticking);
      resolve({ code, errors });
    };
    child.on("error", (error) => {
      errors += `${error.message}\n`;
      done(1);
    });
    child.on("close", (code) => done(code ?? 1));
  });
}

function say(text) {
  process.stderr.write(`setup: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
