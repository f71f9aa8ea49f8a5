/**
 * Tests when a controller reports that it is ready: from the first good configuration, also while
 * nginx refuses a later one, until the controller begins to stop.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type HeldBackend, heldBackend } from "./support/held-backend.ts";
import { request } from "./support/request.ts";
import { ports, type Served, startServe, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_906;
const settings = (data: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: own }
data: { ${data} }
`;
const files = {
  "settings.yaml": settings(""),
  "web.yaml": toWeb({ host: "web.example" }),
  "backends.yaml": webAt(backendPort),
};

let backend: HeldBackend;
let served: Served;
/**
 * A stand-in for nginx that waits, except for `-V`, until the file `go` exists. On a fast machine
 * the controller would otherwise be ready before the first request.
 */
const own = mkdtempSync(join(tmpdir(), "sluice-health-"));
const go = join(own, "go");
const nginxThatWaits = join(own, "nginx");
writeFileSync(
  nginxThatWaits,
  `#!/bin/sh\ncase "$*" in *-V*) ;; *) until [ -e ${go} ]; do sleep 0.02; done ;; esac\nexec ${process.env.NGINX_BINARY ?? "nginx"} "$@"\n`,
  { mode: 0o755 },
);
beforeAll(async () => {
  backend = await heldBackend("127.0.0.1", backendPort);
  served = startServe({ files, flags: ["--configmap=own/settings"], env: { NGINX_BINARY: nginxThatWaits } });
});
afterAll(async () => {
  writeFileSync(go, "");
  await served?.remove();
  await backend?.stop();
  rmSync(own, { recursive: true });
});
/** Returns the answer of the health port; undefined while no server answers. */
const health = (path?: string) => served.health(path).catch(() => undefined);
/** Lets nginx start. Each test calls it, so that each also runs alone. */
async function ready(): Promise<void> {
  writeFileSync(go, "");
  await until("it to be ready", async () => (await health())?.status === 200);
}

test("a controller is not ready before the first configuration is applied, and is ready after it", async () => {
  const before = await until("it to answer", () => health("/healthz?verbose"), 100_000);
  expect(before).toMatchObject({
    status: 500,
    body: expect.stringContaining("[-]nginx-ingress-controller failed: nginx serves nothing yet"),
  });
  await ready();
  await served.logged(/"applied with a reload"/);
});

test("a controller stays ready while nginx refuses the wanted text, and verbose has the reason", async () => {
  await ready();
  served.write("settings.yaml", settings('http-snippet: "no_such_directive on;"'));
  // During the search for the cause, other objects may be set aside and come back.
  const expected = /^\[!\]setting http-snippet is set aside: nginx refused it: unknown directive "no_such_directive"$/m;
  await until("it alone to be set aside", async () => {
    const { body } = await served.health("/healthz?verbose");
    return expected.test(body) && !body.includes("nginx refuses the configuration");
  });
  expect((await served.health()).status).toBe(200);
  expect((await served.health("/metrics")).body).toMatch(/^sluice_quarantined_objects\{kind="ConfigMap"\} 1$/m);
  served.write("settings.yaml", settings(""));
  await until(
    "nothing to be set aside",
    async () => !/set aside/.test((await health("/healthz?verbose"))?.body ?? "[!]set aside"),
  );
});

test("POST /stop from another address has no effect", async () => {
  await ready();
  const to = `192.0.2.1:${ports.health}`;
  expect((await request({ to, path: "/healthz" })).status).toBe(200);
  expect((await request({ to, path: "/stop", method: "POST" })).status).toBe(403);
  expect((await served.health()).status).toBe(200);
});

test("a controller is not ready from SIGTERM on, while requests are completed", async () => {
  await ready();
  const asked = served.ask("web.example");
  await until("the request to be in flight", () => backend.held === 1);
  served.signal("SIGTERM");
  await until("it not to be ready", async () => (await health())?.status === 500);
  expect((await served.health("/healthz?verbose")).body).toContain("failed: the controller is shutting down");
  backend.release("done");
  expect(await asked).toMatchObject({ status: 200, body: "done" });
  expect(await served.ended).toBe(0);
});

test("a first start is not healthy while good settings are set aside with a bad one", async () => {
  const data = 'http-snippet: "no_such_directive on;", denylist-source-range: 127.0.0.1/32';
  const first = startServe({
    files: { ...files, "settings.yaml": settings(data) },
    flags: ["--configmap=own/settings"],
  });
  onTestFinished(first.remove);
  const answers: number[] = [];
  await until("a healthy answer", async () => {
    const { status } = await first.health().catch(() => ({ status: 0 }));
    if (status === 200) answers.push((await first.ask("web.example")).status);
    return answers.length > 0;
  });
  expect(answers).toEqual([403]);
});

test("a first start is not healthy while good Ingresses are left out with a bad one", async () => {
  const snippet = (text: string) => `nginx.ingress.kubernetes.io/configuration-snippet: '${text}'`;
  const good = ["a", "b", "c"];
  const first = startServe({
    files: {
      "settings.yaml": settings('allow-snippet-annotations: "true", annotations-risk-level: Critical'),
      "bad.yaml": toWeb({ host: "bad.example", name: "bad", annotations: snippet("set $x $no_such_variable;") }),
      ...Object.fromEntries(
        good.map((name, at) => [
          `${name}.yaml`,
          toWeb({ host: `${name}.example`, name, annotations: snippet(`add_header X-${at} 1; return 204;`) }),
        ]),
      ),
    },
    flags: ["--configmap=own/settings"],
  });
  onTestFinished(first.remove);
  await until("a healthy answer", async () => (await first.health().catch(() => undefined))?.status === 200);
  const answers = await Promise.all(good.map((name) => first.ask(`${name}.example`)));
  expect(answers.map(({ status }) => status)).toEqual(good.map(() => 204));
  expect((await first.ask("bad.example")).status).toBe(404);
});
