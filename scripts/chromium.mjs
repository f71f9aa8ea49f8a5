/**
 * Installs Chromium for `npm test page`, from Debian. If that is not possible, it says so, and the
 * suite is skipped.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

if (!existsSync("/usr/bin/chromium")) install();

function install() {
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const isDebian = ["/usr/bin/apt-get", "/bin/apt-get"].some((path) => existsSync(path));
  if (!isDebian || (asRoot.length > 0 && spawnSync("sudo", ["-n", "true"]).status !== 0))
    return say("there is no Chromium, and installing it needs Debian and root: apt-get install chromium");
  say("installing chromium");
  apt(asRoot, "update");
  apt(asRoot, "install", "--no-install-recommends", "chromium", "fonts-dejavu-core");
}

function apt(asRoot, ...args) {
  const [head, ...rest] = [...asRoot, "apt-get", ...args, "-y", "-q", "-o", "DPkg::Lock::Timeout=120"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stderr } = spawnSync(head, rest, { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", env });
  if (status !== 0) process.stderr.write(stderr);
}

function say(text) {
  process.stderr.write(`chromium: ${text}\n`);
}
