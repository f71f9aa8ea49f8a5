/**
 * `node scripts/suite-programs.mjs SUITE ...`: installs programs from Debian that tests of these
 * suites use as a person would. If that is not possible, it says so, and those tests are skipped.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Keyed by suite: each program with its packages. */
const programs = {
  page: { chromium: ["chromium", "fonts-dejavu-core"] },
  nginx: { psql: ["postgresql-client"], dig: ["bind9-dnsutils"] },
};

const wanted = process.argv.slice(2).flatMap((suite) => Object.entries(programs[suite] ?? {}));
const missing = wanted.filter(([program]) => !existsSync(`/usr/bin/${program}`));
if (missing.length > 0) install(missing.flatMap(([, packages]) => packages).join(" "));

function install(packages) {
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const isDebian = ["/usr/bin/apt-get", "/bin/apt-get"].some((path) => existsSync(path));
  if (!isDebian || (asRoot.length > 0 && spawnSync("sudo", ["-n", "true"]).status !== 0))
    return say(`some programs are missing, and installing them needs Debian and root: apt-get install ${packages}`);
  say(`installing ${packages}`);
  apt(asRoot, "update");
  apt(asRoot, "install", "--no-install-recommends", ...packages.split(" "));
}

function apt(asRoot, ...args) {
  const [head, ...rest] = [...asRoot, "apt-get", ...args, "-y", "-q", "-o", "DPkg::Lock::Timeout=120"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stderr } = spawnSync(head, rest, { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", env });
  if (status !== 0) process.stderr.write(stderr);
}

function say(text) {
  process.stderr.write(`test: ${text}\n`);
}
