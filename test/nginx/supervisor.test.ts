import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { nginxProcesses } from "../../src/nginx/process/processes.ts";
import { type HeldBackend, heldBackend } from "./support/held-backend.ts";
import { type TestNginx, testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const to = "127.0.0.42:18080";
const http = `server {
  listen ${to};
  location / { return 200 here; }
  location /held { proxy_pass http://127.0.0.42:18081; }
}`;
const answer = async (): Promise<string> => (await request({ to })).body;
const kill = (pid: number | undefined): void => {
  process.kill(pid!, "SIGKILL");
};

let backend: HeldBackend;
beforeAll(async () => {
  backend = await heldBackend("127.0.0.42", 18081);
});
afterAll(() => backend.stop());

describe("a master that is killed", () => {
  let it: TestNginx;
  beforeAll(async () => {
    it = await testNginx();
    await it.serve({ http });
  });
  afterAll(() => it.stop());

  const killed = async (): Promise<{ readonly before: number; readonly after: number }> => {
    const before = it.nginx.pid!;
    kill(before);
    const after = await until("another master", () => (it.nginx.pid === before ? undefined : it.nginx.pid));
    return { before, after };
  };

  test("is replaced and counted, and its workers leave the port to the new ones", async () => {
    const { before, after } = await killed();
    expect(it.nginx.restarts).toBe(1);
    expect(it.events).toContainEqual({ kind: "ended", pid: before, how: "signal SIGKILL", nextTryMs: 50 });
    await until("no orphan", () => nginxProcesses(it.folder).every((one) => one.group === after));
    expect(await answer()).toBe("here");
  });

  test("fails no running request", async () => {
    const inFlight = request({ to, path: "/held" });
    await until("the request", () => backend.held === 1);
    await killed();
    backend.release("finished");
    expect((await inFlight).body).toBe("finished");
  });

  test("is replaced by one that can reload", async () => {
    await it.serve({ http: http.replace("here", "there") });
    expect(await answer()).toBe("there");
    await it.serve({ http });
  });
});

test("a worker that is killed is replaced by nginx itself", async () => {
  const it = await testNginx();
  onTestFinished(() => it.stop());
  it.expectError(/exited on signal 9/);
  await it.serve({ http, workers: 1 });
  const worker = nginxProcesses(it.folder).find(({ role }) => role === "worker");
  kill(worker?.pid);
  await until("another worker", () => {
    const [now] = nginxProcesses(it.folder).filter(({ role }) => role === "worker");
    return now !== undefined && now.pid !== worker?.pid;
  });
  expect(await answer()).toBe("here");
  expect(it.nginx.restarts).toBe(0);
});

test("a master that cannot be started is tried again at growing intervals", async () => {
  const it = await testNginx();
  onTestFinished(() => it.stop());
  it.expectError(/no_such_directive/);
  await it.serve({ http });
  const good = readFileSync(it.folder.conf);
  writeFileSync(it.folder.conf, "no_such_directive;");
  kill(it.nginx.pid);
  const failures = await until("two failed starts", () => {
    const found = it.events.filter((event) => event.kind === "not-started");
    return found.length > 1 && found;
  });
  expect(failures.slice(0, 2)).toMatchObject([{ nextTryMs: 100 }, { nextTryMs: 200 }]);
  expect(failures[0]?.why).toMatch(/^nginx did not start: nginx says: unknown directive "no_such_directive"/);
  // The file is written in one step, because the next try may come at any moment.
  writeFileSync(it.folder.candidateConf, good);
  renameSync(it.folder.candidateConf, it.folder.conf);
  await until("nginx", () => it.nginx.pid !== undefined);
  expect(it.nginx.restarts).toBe(1);
  expect(await answer()).toBe("here");
});

describe("stopping nginx", () => {
  test("lets a running request end", async () => {
    const it = await testNginx();
    await it.serve({ http });
    const inFlight = request({ to, path: "/held" });
    await until("the request", () => backend.held === 1);
    const stopped = it.stop(30_000);
    await until("no listener", () =>
      request({ to }).then(
        () => false,
        () => true,
      ),
    );
    backend.release("finished");
    expect((await inFlight).body).toBe("finished");
    await stopped;
    expect(nginxProcesses(it.folder)).toEqual([]);
  });

  test("ends an nginx that is still starting", async () => {
    const it = await testNginx();
    const outcome = it.apply({ http });
    await until("a process", () => nginxProcesses(it.folder).length > 0);
    await it.stop();
    await outcome;
    expect(nginxProcesses(it.folder)).toEqual([]);
  });

  test("ends a request that takes longer than the limit", async () => {
    const it = await testNginx();
    it.expectError(/open socket .* left|aborting/);
    await it.serve({ http });
    const inFlight = request({ to, path: "/held" }).then(
      () => "answered",
      () => "broken",
    );
    await until("the request", () => backend.held === 1);
    await it.stop(100);
    expect(await inFlight).toBe("broken");
    expect(nginxProcesses(it.folder)).toEqual([]);
  });
});

describe("a port that another program holds", () => {
  const busy = "127.0.0.42:18082";

  const holder = async (): Promise<() => void> => {
    const server = createServer();
    server.listen(18082, "127.0.0.42");
    await once(server, "listening");
    return () => server.close();
  };

  test("gives one sentence at the start, which succeeds once the port is free", async () => {
    const it = await testNginx();
    onTestFinished(() => it.stop());
    it.expectError(/bind\(\)/);
    const release = await holder();
    const parts = { http: http.replaceAll(to, busy) };
    const outcome = await it.apply(parts);
    expect(outcome).toMatchObject({ kind: "unreachable" });
    expect((outcome as { cause: Error }).cause.message).toBe(
      `nginx did not start: nginx cannot listen on ${busy}: another program is using this address.`,
    );
    expect(nginxProcesses(it.folder)).toEqual([]);
    release();
    await it.serve(parts);
    expect((await request({ to: busy })).body).toBe("here");
  });

  test("is distinguished from an address that the machine does not have", async () => {
    const it = await testNginx();
    onTestFinished(() => it.stop());
    it.expectError(/bind\(\)/);
    const outcome = await it.apply({ http: "server { listen 203.0.113.9:18080; }" });
    expect((outcome as { cause: Error }).cause.message).toBe(
      "nginx cannot listen on 203.0.113.9:18080: this machine does not have that address.",
    );
  });

  test("gives one sentence at a reload, and the old configuration stays in service", async () => {
    const it = await testNginx();
    onTestFinished(() => it.stop());
    it.expectError(/bind\(\)/);
    await it.serve({ http });
    const release = await holder();
    const parts = { http: `${http} server { listen ${busy}; return 200 new; }` };
    const outcome = await it.apply(parts);
    expect((outcome as { cause: Error }).cause.message).toBe(
      `nginx cannot listen on ${busy}: another program is using this address.`,
    );
    expect(await answer()).toBe("here");
    expect(await it.apply({ http })).toEqual({ kind: "unchanged" });
    release();
    await it.serve(parts);
    expect((await request({ to: busy })).body).toBe("new");
  });
});
