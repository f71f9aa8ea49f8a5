/**
 * Tests process 1 of the image with a real nginx and a stand-in for the controller: which processes
 * it restarts, leaves alone, and stops.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { initProgram } from "../../scripts/init-program.ts";
import { signal } from "../../src/nginx/orphans.ts";
import { until } from "./support/until.ts";

const init = initProgram();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-init-"));
});
afterEach(async () => {
  const pid = nginxPid();
  if (pid !== undefined) signal(pid, "SIGTERM"); // and not KILL, which its worker would outlive
  await until("nginx to end", () => nginxPid() === undefined);
  rmSync(folder, { recursive: true });
});

/** Runs init with a shell script as the controller; `$FOLDER` is the run folder. */
const run = (controller: string) =>
  execa(init, ["sh", "-c", controller], { env: { SLUICE_RUN_FOLDER: folder, FOLDER: folder }, reject: false });

/** Starts nginx as a daemon, the way a controller leaves it behind. */
async function startNginx(): Promise<void> {
  const text = `pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {} http { access_log off; server { listen unix:${folder}/a.sock; } }`;
  writeFileSync(join(folder, "nginx.conf"), text);
  await execa("nginx", ["-c", join(folder, "nginx.conf")]);
  await until("nginx", () => nginxPid() !== undefined);
}

/** Returns the process id of nginx's master; undefined if it does not run. */
function nginxPid(): number | undefined {
  const pid = contentOf(join(folder, "nginx.pid")).trim();
  const stat = pid === "" ? "" : contentOf(`/proc/${pid}/stat`);
  return stat === "" || /\) Z/.test(stat) ? undefined : Number(pid);
}

/** Returns an empty text if the file is missing, because it may disappear at any moment. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

test.each([
  ["exit 0", 0],
  ["exit 7", 7],
  ["kill -KILL $$", 137],
])("without nginx init ends as the controller ended: %s", async (controller, status) => {
  expect((await run(controller)).exitCode).toBe(status);
});

test("init knows how the controller ended, even if it ends at once", async () => {
  // A process that ends at once sometimes ends between its start and the call that waits for it.
  const script = `for _ in $(seq 100); do ${init} sh -c "exit 7"; echo $?; done`;
  const { stdout } = await execa("sh", ["-c", script], { env: { SLUICE_RUN_FOLDER: folder } });
  expect(new Set(stdout.split("\n"))).toEqual(new Set(["7"]));
});

test("a controller that dies while nginx serves is started again, and nginx is left alone", async () => {
  await startNginx();
  const before = nginxPid();
  const { exitCode, stderr } = await run(
    'echo x >> "$FOLDER/starts"; [ $(wc -l < "$FOLDER/starts") = 2 ] || kill -KILL $$',
  );
  expect(exitCode).toBe(0);
  expect(stderr).toContain(
    "sluice-init: the controller ended with status 137; nginx goes on serving, and the controller is started again in 1 s",
  );
  expect(nginxPid()).toBe(before);
});

test("SIGTERM reaches the controller, and init ends when it ends", async () => {
  const running = run(
    'trap "echo told >> $FOLDER/told; exit 3" TERM; touch "$FOLDER/up"; while :; do sleep 0.05; done',
  );
  await until("the controller", () => existsSync(join(folder, "up")));
  running.kill("SIGTERM");
  expect((await running).exitCode).toBe(3);
  expect(readFileSync(join(folder, "told"), "utf8")).toBe("told\n");
});

test("a SIGTERM that arrives while the controller starts is not lost", async () => {
  // A process that runs beside the start sends the signal, so that it arrives at any step of the
  // start.
  const script = `for _ in $(seq 50); do ${init} sleep 30 & kill -TERM $!; wait $!; echo $?; done`;
  const { stdout } = await execa("sh", ["-c", script], { env: { SLUICE_RUN_FOLDER: folder } });
  expect(new Set(stdout.split("\n"))).toEqual(new Set(["143"]));
});

test("a command that cannot be started is reported by name", async () => {
  const { exitCode, stderr } = await execa(init, ["/no/such/program"], {
    env: { SLUICE_RUN_FOLDER: folder },
    reject: false,
  });
  expect([exitCode, stderr]).toEqual([
    127,
    "sluice-init: /no/such/program cannot be started: No such file or directory",
  ]);
});

test("processes whose parent has died are reaped", async () => {
  // unshare makes init process 1 of its own process ids, to which the orphan then belongs.
  const controller = `(sleep 0.1 & echo $!) > "$FOLDER/orphan"; while [ -e /proc/$(cat "$FOLDER/orphan") ]; do sleep 0.05; done`;
  const env = { SLUICE_RUN_FOLDER: folder, FOLDER: folder };
  const unshared = ["--pid", "--fork", "--mount-proc", init, "sh", "-c", controller];
  expect((await execa("unshare", unshared, { env })).exitCode).toBe(0);
});

test("a SIGTERM while no controller runs lets nginx complete its requests and end", async () => {
  await startNginx();
  const running = run("kill -KILL $$");
  for await (const line of running.iterable({ from: "stderr" })) {
    if (line.includes("started again")) running.kill("SIGTERM");
  }
  await running;
  expect(nginxPid()).toBeUndefined();
});
