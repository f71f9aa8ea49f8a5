/**
 * Tests nginx after its controller has died: each test runs a controller as a process of its own,
 * and kills it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { RunFolder } from "../../src/nginx/index.ts";
import { signal } from "../../src/nginx/orphans.ts";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { type ConfParts, rendered } from "./support/conf.ts";
import { installedNginx } from "./support/installed.ts";
import { temporaryFolder } from "./support/nginx.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const to = "127.0.0.44:18080";
const script = fileURLToPath(new URL("support/controller.ts", import.meta.url));
const answer = async (): Promise<string> => (await request({ to })).body;

interface Controller {
  readonly child: ChildProcess;
  /** The controller's output so far. */
  readonly printed: readonly Readonly<Record<string, unknown>>[];
  ready(): Promise<number>;
  /** Resolves when the process is gone. */
  end(name: NodeJS.Signals): Promise<void>;
}

let folder: RunFolder;
beforeEach(() => {
  folder = temporaryFolder();
  onTestFinished(async () => {
    // The watchdog of a controller that a test has just killed may be ending it as well.
    for (const { pid } of nginxProcesses(folder)) signal(pid, "SIGKILL");
    await until("no nginx", () => nginxProcesses(folder).length === 0);
    rmSync(folder.root, { recursive: true });
  });
});

/** Starts a controller that serves `text`, or only the text that it finds. */
async function controller(
  endWithController: boolean,
  text?: string,
  parts: ConfParts = {},
  log = join(folder.logs, "controller.log"),
): Promise<Controller> {
  const conf = join(folder.root, "test.json");
  const http = `server { listen ${to}; location / { return 200 ${text}; } }`;
  if (text !== undefined)
    writeFileSync(conf, JSON.stringify(rendered(folder, await installedNginx(), { http, ...parts })));
  const args = [script, folder.root, String(endWithController), text === undefined ? "-" : conf];
  const errors = openSync(log, "a");
  const child = spawn("node", args, { stdio: ["ignore", "pipe", errors] });
  closeSync(errors);
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed: Record<string, unknown>[] = [];
  createInterface(child.stdout!).on("line", (line) => line.startsWith("{") && printed.push(JSON.parse(line)));
  const gone = once(child, "exit");
  return {
    child,
    printed,
    ready: () => until("the controller", () => printed.find((words) => "ready" in words)?.ready as number | undefined),
    async end(name) {
      child.kill(name);
      await gone;
    },
  };
}

/**
 * Sends requests repeatedly, each on a new connection, and one more at its end; then it returns all
 * results, including failures.
 */
function steadyTraffic(): { end(): Promise<ReadonlySet<string>> } {
  let going = true;
  const asking = (async () => {
    const answers = new Set<string>();
    while (going) answers.add(await answer().catch(String));
    return answers.add(await answer().catch(String));
  })();
  return {
    end() {
      going = false;
      return asking;
    },
  };
}

test.each(["SIGKILL", "SIGHUP", "SIGINT"] as const)(
  "%s leaves no nginx behind if nginx should end with the controller",
  async (name) => {
    const first = await controller(true, "one");
    await first.ready();
    expect(await answer()).toBe("one");
    await first.end(name);
    await until("no nginx", () => nginxProcesses(folder).length === 0);
  },
);

test("nginx continues after SIGKILL where an init restarts the controller, and the next controller takes it over", async () => {
  const first = await controller(false, "one");
  const pid = await first.ready();
  const traffic = steadyTraffic();
  await first.end("SIGKILL");
  expect(await answer()).toBe("one");

  const second = await controller(false, "two");
  expect(await second.ready()).toBe(pid);
  expect(await traffic.end()).toEqual(new Set(["one", "two"]));
  expect(second.printed).toContainEqual({ event: { kind: "adopted", pid } });
  expect(second.printed).toContainEqual({ found: { kind: "running" } });
  expect(await answer()).toBe("two");

  process.kill(pid, "SIGKILL");
  await until("a new master", () =>
    second.printed.some(({ event }) => (event as { kind?: string })?.kind === "started"),
  );
  expect(await answer()).toBe("two");

  await second.end("SIGTERM");
  expect(nginxProcesses(folder)).toEqual([]);
});

test.each([
  ["asks for no password yet", { open: true }, {}],
  ["asks for a password, and the newer one for none", {}, { open: true }],
] as const)("nginx serves through a change of release: the older one %s", async (_name, before, after) => {
  const first = await controller(false, "one", before);
  const pid = await first.ready();
  const traffic = steadyTraffic();
  await first.end("SIGKILL");
  const second = await controller(false, "two", after);
  expect(await second.ready()).toBe(pid);
  expect(await traffic.end()).toEqual(new Set(["one", "two"]));
  await second.end("SIGTERM");
});

test("a takeover refuses an nginx with another process id than the one that was started", async () => {
  const first = await controller(false, "one");
  const pid = await first.ready();
  await first.end("SIGKILL");
  writeFileSync(folder.instance, "somebody-else");

  const second = await controller(false);
  expect(await second.ready()).not.toBe(pid);
  expect(second.printed).toContainEqual({ found: { kind: "last-good" } });
  expect(await answer()).toBe("one");
  await until("the stranger to be gone", () => nginxProcesses(folder).every(({ group }) => group !== pid));
});

test("a start on a read-only run folder takes over the nginx that serves, and gives it orders when it can write", async () => {
  const first = await controller(false, "one");
  const pid = await first.ready();
  await first.end("SIGKILL");
  // nginx has files open, so a second, read-only mount is put over the folder.
  await execa("mount", ["--bind", folder.root, folder.root]);
  onTestFinished(() => execa("umount", ["--lazy", folder.root], { reject: false }).then(() => {}));
  await execa("mount", ["-o", "remount,ro,bind", folder.root]);
  const second = await controller(false, undefined, {}, "/dev/null");
  expect(await second.ready()).toBe(pid);
  expect(second.printed).toContainEqual({ found: { kind: "running" } });
  expect(await answer()).toBe("one");
  const before = readFileSync(folder.nginxPass, "utf8");
  await execa("mount", ["-o", "remount,rw,bind", folder.root]);
  await until("the new password", () => readFileSync(folder.nginxPass, "utf8") !== before);
  await second.end("SIGTERM");
  expect(nginxProcesses(folder)).toEqual([]);
});

test("a controller without descriptors does not take the nginx that it took over for dead", async () => {
  const first = await controller(false, "one");
  const pid = await first.ready();
  await first.end("SIGKILL");
  const second = await controller(false);
  expect(await second.ready()).toBe(pid);
  const log = join(folder.logs, "controller.log");
  const limit = (most: number) => execa("prlimit", [`--pid=${second.child.pid}`, `--nofile=${most}:`]);
  await limit(3);
  await until("a look that fails", () => /master failed: EMFILE/.test(readFileSync(log, "utf8")));
  await limit(1_024);
  expect(await answer()).toBe("one");
  expect(nginxProcesses(folder).filter(({ role }) => role === "master")).toMatchObject([{ pid }]);
  await second.end("SIGTERM");
});

test("a controller whose nginx has ended starts with the last good text", async () => {
  const first = await controller(true, "one");
  await first.ready();
  await first.end("SIGKILL");
  await until("no nginx", () => nginxProcesses(folder).length === 0);

  const second = await controller(true);
  await second.ready();
  expect(second.printed).toContainEqual({ found: { kind: "last-good" } });
  expect(await answer()).toBe("one");
});

test("a second controller on the same folder gets a message, and disturbs nothing", async () => {
  const first = await controller(true, "one");
  const pid = await first.ready();
  const second = await controller(true, "two");
  await once(second.child, "close"); // all that it printed has been read then
  const why = `The run folder cannot be used: another controller, process ${first.child.pid}, is using it.`;
  expect(second.printed).toEqual([{ refused: why }]);
  expect(await answer()).toBe("one");
  expect(nginxProcesses(folder).every(({ group }) => group === pid)).toBe(true);
});
