import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import type { Agent } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { signal } from "../../src/nginx/orphans.ts";
import { isIdle, nginxProcesses } from "../../src/nginx/process/processes.ts";
import { type TestNginx, testNginx } from "./support/nginx.ts";
import { keepalive, type RequestOptions, request } from "./support/request.ts";
import { until } from "./support/until.ts";

const to = "127.0.0.41:18080";
const saying = (text: string, inServer = "", inHttp = ""): { readonly http: string } => ({
  http: `${inHttp} server { listen ${to}; location / { return 200 ${text}; } ${inServer} }`,
});
const answer = async (): Promise<string> => (await request({ to })).body;

/**
 * Sends a request, and repeats it when a reused connection was closed before the first byte of the
 * answer, as HTTP clients do.
 */
async function retried(options: RequestOptions): Promise<string> {
  try {
    return (await request(options)).body;
  } catch (error) {
    if (options.agent === undefined || (error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
    return (await request({ to })).body;
  }
}

let it: TestNginx;
beforeAll(async () => {
  it = await testNginx();
  await it.serve(saying("one"));
});
afterAll(() => it.stop());

describe("a reload", () => {
  test("counts once the new workers answer", async () => {
    for (const text of ["two", "three", "four"]) {
      expect(await it.apply(saying(text))).toMatchObject({ kind: "reloaded" });
      expect(await Promise.all(Array.from({ length: 20 }, answer))).toEqual(Array(20).fill(text));
    }
  });

  /**
   * Serves this text, and returns how many of the present workers end because of the controller's
   * signal, before nginx ends them.
   */
  async function endedBySignal(text: string, workers: number): Promise<number> {
    const old = nginxProcesses(it.folder).filter(({ role, draining }) => role === "worker" && !draining);
    await it.serve({ ...saying(text), workers });
    const lines = () => it.events.flatMap((event) => (event.kind === "line" ? [event.text] : []));
    const noting = (what: string) =>
      old.filter(({ pid }) => lines().some((line) => line.includes(` ${pid}#`) && line.includes(what)));
    await until("each to end", () => noting("gracefully shutting down").length === old.length);
    return noting(`signal 3 (SIGQUIT) received from ${process.pid},`).length;
  }

  test("ends the old workers once as many new ones run, and nginx ends them where there are fewer", async () => {
    await it.serve({ ...saying("three"), workers: 3 });
    // nginx waits for 100 ms, and on a busy machine the test may not run within that time.
    let tries = 0;
    while ((await endedBySignal(`three-${tries}`, 3)) < 3) tries++;
    expect(await endedBySignal("one", 1)).toBe(0);
    expect(await answer()).toBe("one");
    expect(it.nginx.generations().workers).toBe(1);
    let workers = 2;
    while ((await endedBySignal(`more-${workers}`, workers)) === 0) workers++;
  });

  test("waits while the master is busy ending the old workers itself", async () => {
    const { pid } = it.nginx;
    let [seen, tries] = [false, 0];
    const look = setInterval(() => {
      seen ||= !isIdle(pid!);
    }, 5);
    onTestFinished(() => clearInterval(look));
    // The state lasts for 100 ms each time, and on a busy machine the test may not run within that
    // time.
    while (!seen) await it.serve(saying(`busy-${tries++}`));
    await until("the master to be idle", () => isIdle(pid!));
  });

  test("counts right after one that starts many workers, and when an old worker dies meanwhile", async () => {
    it.expectError(/exited on signal 9/);
    for (const text of ["first", "second", "third"]) {
      await it.serve({ ...saying(`${text}-of-many`), workers: 12 });
      const [dies] = nginxProcesses(it.folder).filter(({ role, draining }) => role === "worker" && !draining);
      const applied = it.apply({ ...saying(text), workers: 12 });
      await until("the HUP to be near", () => readFileSync(it.folder.conf, "utf8").includes(`return 200 ${text};`));
      signal(dies!.pid, "SIGKILL");
      expect(await applied).toMatchObject({ kind: "reloaded" });
      expect(await Promise.all(Array.from({ length: 50 }, answer))).toEqual(Array(50).fill(text));
    }
  });

  test("fails no request, over kept and new connections", async () => {
    await it.serve(saying("steady"));
    let going = true;
    const traffic = async (agent?: Agent): Promise<readonly string[]> => {
      const answers: string[] = [];
      while (going) answers.push(await retried({ to, ...(agent === undefined ? {} : { agent }) }));
      return answers;
    };
    const agent = keepalive();
    const clients = [traffic(), traffic(), traffic(agent), traffic(agent)];
    for (let i = 0; i < 10; i += 1) await it.serve(saying("steady", `add_header X-Reload ${i};`));
    going = false;
    const answers = (await Promise.all(clients)).flat();
    agent.destroy();
    expect(answers.length).toBeGreaterThan(100);
    expect(new Set(answers)).toEqual(new Set(["steady"]));
  });

  test("is not made when nothing has changed", async () => {
    await it.serve(saying("same"));
    const workers = () => nginxProcesses(it.folder).flatMap(({ pid, draining }) => (draining ? [] : [pid]));
    const before = workers();
    expect(await it.apply(saying("same"))).toEqual({ kind: "unchanged" });
    expect(workers()).toEqual(before);
  });

  test("is refused with the place in the text, and the old text stays in service", async () => {
    await it.serve(saying("good"));
    const outcome = await it.apply(saying("bad", "no_such_directive on;"));
    expect(outcome).toMatchObject({ kind: "refused", at: { file: it.folder.conf } });
    const { line } = (outcome as { at: { line: number } }).at;
    expect(readFileSync(it.folder.refusedConf, "utf8").split("\n")[line - 1]).toContain("no_such_directive");
    expect(await answer()).toBe("good");
    expect(readFileSync(it.folder.conf, "utf8")).toContain("return 200 good");
  });
});

describe("a text that passes the test and does not work", () => {
  const zone = (key: string): { readonly http: string } => ({
    http: `limit_req_zone ${key} zone=same:1m rate=1r/s; ${saying("zone").http}`,
  });

  test("names the folder when the disk is full, and the old text stays in service", async () => {
    mkdirSync(it.folder.candidateConf);
    onTestFinished(() => rmdirSync(it.folder.candidateConf));
    const before = await answer();
    const outcome = await it.apply(saying("unwritten"));
    expect(outcome).toMatchObject({ kind: "unreachable" });
    expect(String("cause" in outcome && outcome.cause)).toMatch(/the run folder cannot be written: E\w+: /);
    expect(await answer()).toBe(before);
  });

  test("is refused when nginx finds the mistake only at the reload", async () => {
    it.expectError(/limit_req "same"/);
    await it.serve(zone("$uri"));
    const outcome = await it.apply(zone("$args"));
    expect(outcome).toMatchObject({ kind: "refused", stderr: expect.stringContaining('limit_req "same" uses') });
    expect(await answer()).toBe("zone");
    expect(await it.apply(zone("$uri"))).toEqual({ kind: "unchanged" });
  });

  test("is taken back when its workers die at once", async () => {
    it.expectError(/cannot be respawned/);
    await it.serve(saying("alive"));
    const outcome = await it.apply(saying("dead", "", "init_worker_by_lua_block { os.exit(2) }"));
    expect(outcome).toMatchObject({ kind: "refused", stderr: expect.stringContaining("cannot be respawned") });
    expect(await answer()).toBe("alive");
  });
});
