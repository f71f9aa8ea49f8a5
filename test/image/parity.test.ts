/**
 * The parity suite once more, on the nginx that ships. A program called nginx stands first in the PATH and starts the image's own, by chroot; what
 * both sides must see at one path is mounted there, in a mount namespace that ends with the suite. In dynamic mode, which is the image's; another
 * PARITY_MODE asks for the other.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { openImage } from "./support/container.ts";

/** Every case of the corpus, on a machine that may be busy. */
const longMs = 1_500_000;

const root = join(import.meta.dirname, "../..");

test("the parity suite passes on the nginx that ships", { timeout: longMs }, async () => {
  const image = openImage();
  const folder = mkdtempSync(join(tmpdir(), "sluice-image-nginx-"));
  onTestFinished(() => {
    image.close();
    rmSync(folder, { recursive: true });
  });
  // chroot goes to the root folder, but nginx is told from others by the folder that it was started in.
  const inFolder = `sh -c 'cd "$0" && exec /usr/sbin/nginx "$@"' "$PWD" "$@"`;
  writeFileSync(join(folder, "nginx"), `#!/bin/sh\nexec chroot ${image.root} ${inFolder}\n`, { mode: 0o755 });
  const shared = ["/dev", "/proc", "/sys", tmpdir(), root];
  const mounts = shared.map((path) => `mkdir -p ${image.root}${path} && mount --rbind ${path} ${image.root}${path}`);
  const script = [...mounts, "nginx -v", 'exec "$@"'].join(" && ");
  const suite = [join(root, "node_modules/.bin/vitest"), "run", "--project", "parity", "test/parity/parity.test.ts"];
  const { all, exitCode } = await execa(
    "unshare",
    ["--mount", "--propagation", "private", "sh", "-c", script, "sh", ...suite],
    {
      cwd: root,
      env: { PARITY_MODE: "dynamic", ...process.env, PATH: [folder, process.env.PATH].join(delimiter) },
      reject: false,
      all: true,
    },
  );
  console.log(all.slice(all.indexOf("parity, ")));
  expect(all).toContain("nginx version: nginx/1.26.");
  expect(exitCode).toBe(0);
});
