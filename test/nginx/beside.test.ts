/**
 * nginx in a container of its own, as two groups of processes: `sluice nginx` runs nginx, and the
 * controller gives it orders through the socket.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type Nginx, type NginxEvent, type ReloadOutcome, type RunFolder, remoteNginx } from "../../src/nginx/index.ts";
import { signal } from "../../src/nginx/orphans.ts";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { rendered } from "./support/conf.ts";
import { installedNginx } from "./support/installed.ts";
import { temporaryFolder } from "./support/nginx.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const to = "127.0.0.45:18080";
/** For a program that starts: a busy machine takes many seconds for it. */
const patienceMs = 60_000;
vi.setConfig({ testTimeout: 3 * patienceMs });
const program = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const answer = async (): Promise<string> => (await request({ to })).body;

let folder: RunFolder;
let socket: string;
beforeEach(() => {
  folder = temporaryFolder();
  socket = join(folder.sockets, "nginx.sock");
  onTestFinished(async () => {
    for (const { pid } of nginxProcesses(folder)) signal(pid, "SIGKILL");
    await until("no nginx", () => nginxProcesses(folder).length === 0);
    rmSync(folder.root, { recursive: true });
  });
});

/** Starts the program of nginx's container. */
function startProgram(at = socket): ChildProcess {
  const args = [program, "nginx", `--nginx-socket=${at}`, `--run-folder=${folder.root}`];
  const child = spawn("node", args, { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function ended(child: ChildProcess, name: NodeJS.Signals): Promise<number | null> {
  const gone = once(child, "exit");
  child.kill(name);
  return (await gone)[0] as number | null;
}

interface Side {
  readonly nginx: Nginx;
  readonly found: string;
  readonly events: readonly NginxEvent[];
  serve(text: string): Promise<ReloadOutcome>;
}

/** Starts the controller's container. */
async function startSide(): Promise<Side> {
  const waiting = { limitMs: patienceMs, onWait: () => {}, signal: AbortSignal.timeout(patienceMs) };
  const found = await remoteNginx(socket, folder, waiting);
  if (!found.ok) throw new Error(found.why);
  const events: NginxEvent[] = [];
  const report = (event: NginxEvent) => void events.push(event);
  const opened = await found.nginx.open({ folder, endWithController: false, maxDraining: 4, report });
  if (!opened.ok) throw new Error(opened.why);
  const { nginx } = opened;
  onTestFinished(() => nginx.stop(0));
  const serve = async (text: string) => {
    const http = `server { listen ${to}; location / { return 200 ${text}; } }`;
    return nginx.apply(rendered(folder, await installedNginx(), { http }), new AbortController().signal);
  };
  return { nginx, found: opened.found.kind, events, serve };
}

test("it serves the given text, reloads, refuses wrong text, and reports its state", async () => {
  startProgram();
  const { nginx, found, serve } = await startSide();
  expect([found, nginx.pid]).toEqual(["nothing", undefined]);
  expect(await serve("one")).toMatchObject({ kind: "reloaded" });
  expect(await answer()).toBe("one");
  expect(nginx.pid).toBe(nginxProcesses(folder).find(({ role }) => role === "master")?.pid);
  expect(await serve("two")).toMatchObject({ kind: "reloaded" });
  expect(await answer()).toBe("two");
  expect(await serve("two")).toEqual({ kind: "unchanged" });
  expect(await serve("three; }")).toMatchObject({ kind: "refused", at: { file: folder.conf } });
  expect(await nginx.test("nonsense;", new AbortController().signal)).toMatchObject({ kind: "refused" });
  expect(await answer()).toBe("two");
  expect(nginx.generations().workers).toBeGreaterThan(0);
  expect(nginx.processes().residentBytes).toBeGreaterThan(1e6);
});

test("a controller that ends leaves it serving, and the next one finds it", async () => {
  startProgram();
  const first = await startSide();
  await first.serve("kept");
  await first.nginx.stop(0);
  expect(await answer()).toBe("kept");
  const second = await startSide();
  expect(second.found).toBe("running");
  expect(await second.serve("kept")).toEqual({ kind: "unchanged" });
});

test("an nginx that dies comes back, and the controller knows", async () => {
  startProgram();
  const { nginx, serve } = await startSide();
  await serve("back");
  const first = nginx.pid!;
  process.kill(first, "SIGKILL");
  await until("it was started again", () => nginx.restarts === 1 && nginx.pid !== first, patienceMs);
  expect(await answer()).toBe("back");
});

test("when the program of the container dies, nginx serves on and takes orders from the next one", async () => {
  const program = startProgram();
  const { nginx, events, serve } = await startSide();
  await serve("before");
  const known = nginx.generations();
  expect(known.workers).toBeGreaterThan(0);
  await ended(program, "SIGKILL");
  await until("the controller knows", () => nginx.pid === undefined, patienceMs);
  expect(nginx.generations()).toEqual(known);
  expect(await serve("lost")).toMatchObject({ kind: "unreachable" });
  expect(await answer()).toBe("before");
  startProgram();
  await until("it answers again", () => nginx.pid !== undefined, patienceMs);
  expect(await serve("after")).toMatchObject({ kind: "reloaded" });
  expect(await answer()).toBe("after");
  expect(events.map(({ kind }) => kind)).toEqual(["silent", "answers"]);
});

test("the program's own end is the end of nginx, after the requests in flight", async () => {
  const program = startProgram();
  const { serve } = await startSide();
  await serve("last");
  expect(await ended(program, "SIGTERM")).toBe(0);
  expect(nginxProcesses(folder)).toEqual([]);
});

test("no other account can give orders: the socket is private, in a folder that must be closed to others", async () => {
  startProgram();
  await startSide();
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  const open = join(folder.root, "open");
  mkdirSync(open);
  chmodSync(open, 0o755);
  const second = startProgram(join(open, "nginx.sock"));
  const [text] = (await once(second.stderr!, "data")) as [Buffer];
  expect(String(text)).toContain("must belong to this account and be closed to all others");
});
