/** The page in the browser of a controller from the image: its files, its answers, and its flag. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { request } from "../nginx/support/request.ts";
import { toWeb, webAt } from "../nginx/support/serve.ts";
import { until } from "../nginx/support/until.ts";
import { openImage, startContainer } from "./support/container.ts";

const image = openImage();
const health = "127.0.0.1:10254";
const ownPage = "127.0.0.1:10300";

/** Starts a controller on one Ingress with these flags, and waits until it serves. */
async function started(...flags: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-image-page-"));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "web.yaml"), `${toWeb({ host: "web.example" })}---\n${webAt(21_940)}`);
  const running = startContainer(image, {
    args: ["sluice", "serve", "/manifests", "--run-folder=/run/sluice", ...flags],
    mounts: { "/manifests": folder },
  });
  onTestFinished(async () => {
    running.kill("SIGTERM");
    await running.ended;
    rmSync(folder, { recursive: true });
  });
  await until(
    "it is healthy",
    () =>
      statusAt(health, "/healthz").then(
        (status) => status === 200,
        () => false,
      ),
    120_000,
  );
}

const at = (to: string, path: string) => request({ to, path, host: "localhost" });
const statusAt = async (to: string, path: string) => (await at(to, path)).status;
const json = async (path: string) => JSON.parse((await at(health, `/ui/api/v1/${path}`)).body);

test("the image has every file of the page unchanged, and answers about the image's nginx", async () => {
  await started();
  for (const file of readdirSync("ui", { recursive: true, withFileTypes: true }).filter((one) => one.isFile())) {
    const path = join(file.parentPath, file.name);
    const { status, body } = await at(health, `/${path}`);
    if (file.name === "tsconfig.json") expect(status).toBe(404);
    else expect([path, status, body === readFileSync(path, "utf8")]).toEqual([path, 200, true]);
  }
  expect((await at(health, "/ui/")).body).toBe(readFileSync("ui/index.html", "utf8"));
  expect(await json("status")).toMatchObject({
    controller: { mode: "dynamic", nginx: expect.stringMatching(/^1\./) },
    counts: { hosts: 1, endpoints: 1 },
    nginx: { isRunning: true, drainingGenerations: 0 },
  });
  expect(await json("ask?url=http://web.example/")).toMatchObject({
    arrivals: [{ end: { kind: "proxied" }, backends: [{ endpoints: ["127.0.0.1:21940"] }] }],
  });
});

test("a flag gives the page a port of its own in the image, or turns it off", async () => {
  await started("--ui-port=10300");
  expect(await statusAt(ownPage, "/ui/main.js")).toBe(200);
  expect(await statusAt(health, "/ui/")).toBe(404);
});

test("a page that is turned off answers on no port of the image", async () => {
  await started("--ui-port=0");
  for (const path of ["/ui/", "/ui/api/v1/status"]) expect(await statusAt(health, path)).toBe(404);
  await expect(at(ownPage, "/ui/")).rejects.toThrow("ECONNREFUSED");
});
