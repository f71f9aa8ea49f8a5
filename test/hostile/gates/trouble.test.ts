/**
 * The machine fails while a controller serves. The old configuration is still served, one sentence
 * has the reason, and changes that were made meanwhile are applied when the machine works again.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { until } from "../../nginx/support/until.ts";
import { ingress, secret } from "../support/objects.ts";
import { startWorld, type World } from "../support/world.ts";

const messages: string[] = [];
vi.spyOn(process.stderr, "write").mockImplementation((text) => {
  messages.push(String(text));
  return true;
});
beforeEach(() => void messages.splice(0));

const status = async (world: World, host: string) => (await world.ask(host)).status;

/** Starts a world whose run folder is a small disk of its own. */
async function onSmallDisk(mode: "dynamic" | "static"): Promise<{ readonly world: World; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "disk-"));
  await execa("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", folder]);
  const world = await startWorld({ mode, runFolder: join(folder, "run") });
  onTestFinished(async () => {
    await world.stop();
    await execa("umount", ["--lazy", "--recursive", folder]);
    rmSync(folder, { recursive: true });
  });
  await world.apply(ingress({ name: "before" }));
  return { world, folder };
}

/** Three changes that need the disk: another password file, another host and another setting. */
const changes = () => [
  secret("users", { auth: "u:{PLAIN}p\n" }),
  ingress({
    name: "guarded",
    annotations: { "auth-type": "basic", "auth-secret": "users", "client-body-buffer-size": "77k" },
  }),
  ingress({ name: "after" }),
];

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  test("a full disk leaves the old configuration in service, and the changes are live when there is room", async () => {
    const { world, folder } = await onSmallDisk(mode);
    const ballast = join(folder, "ballast");
    await execa("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4k"], { reject: false });
    await world.apply(...changes());
    expect(await status(world, "before.example")).toBe(200);
    expect(await status(world, "guarded.example")).not.toBe(200);
    expect(messages.join("")).toMatch(/nginx did not take it: .*ENOSPC/);
    rmSync(ballast);
    await until("the changes to be live", async () => (await status(world, "after.example")) === 200, 40_000);
    await until("the guard to be there", async () => (await status(world, "guarded.example")) === 401, 40_000);
  });

  test("a disk that becomes read-only leaves the old configuration in service, and the changes are live afterwards", async () => {
    const { world, folder } = await onSmallDisk(mode);
    // nginx has files open, so a second, read-only mount is put over the first.
    await execa("mount", ["--bind", folder, folder]);
    await execa("mount", ["-o", "remount,ro,bind", folder]);
    await world.apply(...changes());
    expect(await status(world, "before.example")).toBe(200);
    expect(messages.join("")).toMatch(/nginx did not take it: the run folder cannot be written: ./);
    await execa("umount", ["--lazy", folder]);
    await until("the changes to be live", async () => (await status(world, "after.example")) === 200, 40_000);
  });

  test("a change of data is live on a read-only disk, and is not reported as a failure", async (context) => {
    if (mode === "static") context.skip("every change is text");
    const { world, folder } = await onSmallDisk(mode);
    await execa("mount", ["--bind", folder, folder]);
    await execa("mount", ["-o", "remount,ro,bind", folder]);
    await world.apply(ingress({ name: "after" }));
    expect(await status(world, "after.example")).toBe(200);
    expect(messages.join("")).toBe("");
    await execa("umount", ["--lazy", folder]);
  });

  test("a lack of memory for a reload leaves the old configuration in service, and the changes are live afterwards", {
    timeout: 240_000,
  }, async () => {
    const world = await startWorld({ mode });
    onTestFinished(() => world.stop());
    await world.apply(ingress({ name: "before" }));
    const limit = async (bytes: string) => execa("prlimit", ["--pid", String(world.pid), `--as=${bytes}`]);
    await limit("1000000:unlimited");
    const applied = world.apply(...changes());
    await until("the sentence", () => messages.some((line) => /nginx did not take it: ./.test(line)), 100_000);
    expect(await status(world, "before.example")).toBe(200);
    await limit("unlimited:unlimited");
    await applied;
    await until("the changes to be live", async () => (await status(world, "guarded.example")) === 401, 60_000);
  });

  test("changes are live after the clock jumps ten years forward or back", async () => {
    const world = await startWorld({ mode });
    onTestFinished(() => world.stop());
    onTestFinished(() => void vi.useRealTimers());
    for (const [year, name] of [
      [2036, "later"],
      [2016, "earlier"],
    ] as const) {
      vi.useFakeTimers({ toFake: ["Date"], now: new Date(`${year}-01-01`) });
      await world.apply(ingress({ name, annotations: { "client-body-buffer-size": `${year}` } }));
      expect(await status(world, `${name}.example`)).toBe(200);
    }
    expect(messages.join("")).toBe("");
  });

  test("killed workers are replaced, and changes are live afterwards", async () => {
    const world = await startWorld({ mode });
    onTestFinished(() => world.stop());
    const workers = async () => (await execa("pgrep", ["-P", String(world.pid)], { reject: false })).stdout.split("\n");
    const before = await workers();
    for (const pid of before) process.kill(Number(pid), "SIGKILL");
    await until("new ones to answer", async () => (await status(world, "neighbour.example").catch(() => 0)) === 200);
    await until("none of before to be left", async () => !(await workers()).some((pid) => before.includes(pid)));
    await world.apply(ingress({ name: "after" }));
    expect(await status(world, "after.example")).toBe(200);
  });
});
