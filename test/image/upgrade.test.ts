/**
 * Starts this image on a run folder of an older image with nginx 1.26, whose processes were all
 * killed at once. `old-run-folder` was recorded with the image of the Dockerfile at 952eab5. In it
 * the Ingress cart was edited into one that nginx refuses.
 */
import { chmodSync, chownSync, cpSync, globSync, lstatSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { openImage, startContainer } from "./support/container.ts";

/** The user that everything in the image runs as. */
const user = { uid: 101, gid: 82 };
const recorded = join(import.meta.dirname, "old-run-folder");
const folder = mkdtempSync(join(tmpdir(), "sluice-upgrade-"));
const image = openImage();
let backend: Server;

beforeAll(() => {
  chmodSync(folder, 0o755);
  cpSync(join(recorded, "manifests"), join(folder, "manifests"), { recursive: true });
  backend = createServer((asked, answer) => answer.end(asked.headers.host)).listen(21_990, "127.0.0.1");
});
afterAll(() => {
  backend.close();
  backend.closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** The recorded folder with the owner and the modes that it had; git keeps neither. */
function runFolder(mode: string): string {
  const copy = join(folder, mode);
  cpSync(join(recorded, mode), copy, { recursive: true });
  for (const path of ["", ...globSync("**/*", { cwd: copy })].map((one) => join(copy, one))) {
    chownSync(path, user.uid, user.gid);
    chmodSync(path, lstatSync(path).isDirectory() ? 0o700 : 0o600);
  }
  return copy;
}

test.each([
  ["dynamic", 404],
  ["static", 200],
])("in %s mode the run folder of the older image is taken over", async (mode, lastGood) => {
  const data = runFolder(mode);
  const names = readFileSync(join(data, "keys/names"), "utf8");
  const running = startContainer(image, {
    args: ["sluice", "serve", "/manifests", "--run-folder=/run/sluice", `--mode=${mode}`],
    mounts: { "/manifests": join(folder, "manifests") },
    volumes: { "/run/sluice": data },
    emptyDirs: ["/tmp"],
  });
  try {
    const answer = (options: object) => request({ to: "127.0.0.1:8080", ...options });
    await until("shop.example answers", () =>
      answer({ host: "shop.example", to: "127.0.0.1:8443", sni: "shop.example" }).then(
        ({ status, body }) => status === 200 && body === "shop.example",
        () => false,
      ),
    );
    // In static mode nginx refuses the present form, so the last good one of the old folder is
    // served.
    await until("cart.example is decided", async () =>
      answer({ host: "cart.example", path: "/fine" }).then(({ status }) => status === lastGood),
    );
    expect(readFileSync(join(data, "keys/names"), "utf8")).toBe(names);
  } finally {
    running.kill("SIGTERM");
  }
  const { text, exitCode } = await running.ended;
  expect(exitCode, text).toBe(0);
  expect(text).toContain('"nginx":"1.');
  expect(text.includes('"kind":"last-good"')).toBe(lastGood === 200);
});
