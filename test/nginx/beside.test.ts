/**
 * nginx in a container of its own. Two processes stand for the two containers: `sluice nginx`,
 * which runs nginx, and the controller, which sends it orders through a socket.
 */
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { ended, newPod, type Pod, patienceMs, type Side } from "./support/beside.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const to = "127.0.0.45:18080";
vi.setConfig({ testTimeout: 3 * patienceMs });
const answer = async (): Promise<string> => (await request({ to })).body;

let pod: Pod;
beforeEach(() => {
  pod = newPod();
});

const startProgram = () => pod.startProgram();

/** Starts the controller. Its `serve` makes nginx answer every request with the text. */
async function startSide(): Promise<Omit<Side, "serve"> & { serve(text: string): ReturnType<Side["serve"]> }> {
  const side = await pod.startSide();
  const { nginx, found, events } = side;
  const serve = (text: string) => side.serve({ http: `server { listen ${to}; location / { return 200 ${text}; } }` });
  return { nginx, found, events, serve };
}

test("nginx serves the given text, reloads, refuses wrong text and reports its state", async () => {
  startProgram();
  const { nginx, found, serve } = await startSide();
  expect([found, nginx.pid]).toEqual(["nothing", undefined]);
  expect(await serve("one")).toMatchObject({ kind: "reloaded" });
  expect(await answer()).toBe("one");
  expect(nginx.pid).toBe(nginxProcesses(pod.folder).find(({ role }) => role === "master")?.pid);
  expect(await serve("two")).toMatchObject({ kind: "reloaded" });
  expect(await answer()).toBe("two");
  expect(await serve("two")).toEqual({ kind: "unchanged" });
  expect(await serve("three; }")).toMatchObject({ kind: "refused", at: { file: pod.folder.conf } });
  expect(await nginx.test("nonsense;", new AbortController().signal)).toMatchObject({ kind: "refused" });
  expect(await answer()).toBe("two");
  expect(nginx.generations().workers).toBeGreaterThan(0);
  expect(nginx.processes().residentBytes).toBeGreaterThan(1e6);
});

test("nginx continues when the controller ends, and the next controller finds it running", async () => {
  startProgram();
  const first = await startSide();
  await first.serve("kept");
  await first.nginx.stop(0);
  expect(await answer()).toBe("kept");
  const second = await startSide();
  expect(second.found).toBe("running");
  expect(await second.serve("kept")).toEqual({ kind: "unchanged" });
});

test("nginx is started again when it dies, and the controller counts the restart", async () => {
  startProgram();
  const { nginx, serve } = await startSide();
  await serve("back");
  const first = nginx.pid!;
  process.kill(first, "SIGKILL");
  await until("nginx was started again", () => nginx.restarts === 1 && nginx.pid !== first, patienceMs);
  expect(await answer()).toBe("back");
});

test("when `sluice nginx` dies, nginx continues, and the next `sluice nginx` accepts orders", async () => {
  const program = startProgram();
  const { nginx, events, serve } = await startSide();
  await serve("before");
  const known = nginx.generations();
  expect(known.workers).toBeGreaterThan(0);
  await ended(program, "SIGKILL");
  await until("the controller sees that `sluice nginx` is gone", () => nginx.pid === undefined, patienceMs);
  expect(nginx.generations()).toEqual(known);
  expect(await serve("lost")).toMatchObject({ kind: "unreachable" });
  expect(await answer()).toBe("before");
  startProgram();
  await until("the new `sluice nginx` answers", () => nginx.pid !== undefined, patienceMs);
  expect(await serve("after")).toMatchObject({ kind: "reloaded" });
  expect(await answer()).toBe("after");
  expect(events.map(({ kind }) => kind)).toEqual(["silent", "answers"]);
});

test("SIGTERM to `sluice nginx` ends nginx, too, and the program exits with 0", async () => {
  const program = startProgram();
  const { serve } = await startSide();
  await serve("last");
  expect(await ended(program, "SIGTERM")).toBe(0);
  expect(nginxProcesses(pod.folder)).toEqual([]);
});

test("after SIGTERM `sluice nginx` announces nginx's end, and nginx accepts connections until the grace period ends", async () => {
  const program = pod.startProgram("--shutdown-grace-period=600");
  const { serve } = await startSide();
  await serve("last");
  program.kill("SIGTERM");
  const announced = join(pod.folder.logs, "closing.log");
  await until("nginx to be told", () => readFileSync(announced, "utf8") !== "", patienceMs);
  expect(await answer()).toBe("last");
});

test("half a request of a client holds the end no longer than client_header_timeout", async () => {
  const program = startProgram();
  const { serve } = await pod.startSide();
  // nginx ignores worker_shutdown_timeout while it reads the head of a request.
  const http = `client_header_timeout 2s; server { listen ${to}; location / { return 200 one; } }`;
  expect(await serve({ http, workerShutdownTimeout: "1h" })).toMatchObject({ kind: "reloaded" });
  const [host, port] = to.split(":");
  const client = connect(Number(port), host).on("error", () => {});
  onTestFinished(() => void client.destroy());
  // nginx waits for the rest of a request whose beginning it has read.
  client.write("GET / HTTP/1.1\r\nHost: one\r\n\r\nGET / HT");
  await once(client, "data");
  expect(await ended(program, "SIGTERM")).toBe(0);
  expect(nginxProcesses(pod.folder)).toEqual([]);
});

test("no other account can send orders: the socket is private, and its folder must be closed to others", async () => {
  startProgram();
  await startSide();
  expect(statSync(pod.socket).mode & 0o777).toBe(0o600);
  const open = join(pod.folder.root, "open");
  mkdirSync(open);
  chmodSync(open, 0o755);
  const second = pod.startProgram(`--nginx-socket=${join(open, "nginx.sock")}`);
  const [text] = (await once(second.stderr!, "data")) as [Buffer];
  expect(String(text)).toContain("must belong to this account and be closed to all others");
});
