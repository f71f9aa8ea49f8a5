/**
 * Tests how `sluice run` ends when it cannot start, without a cluster: with one sentence on
 * standard error, and an exit code that shows who made the mistake.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { ports, program } from "./support/serve.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-starts-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** No API server runs at this address. */
const kubeconfig = join(folder, "kubeconfig");
writeFileSync(
  kubeconfig,
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "away", cluster: { server: "https://127.0.0.1:1" } }],
    contexts: [{ name: "away", context: { cluster: "away", user: "" } }],
    "current-context": "away",
  }),
);
writeFileSync(join(folder, "broken"), "clusters: [");
writeFileSync(join(folder, "empty"), "apiVersion: v1\nkind: Config\n");

const around = { KUBECONFIG: "", POD_NAME: "one", POD_NAMESPACE: "ingress" };
const own = [`--run-folder=${folder}/run`, `--healthz-port=${ports.health}`, `--profiler-port=${ports.status}`];

async function start(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { exitCode, stderr } = await execa(process.execPath, [program, "run", ...own, ...flags], {
    env: { ...around, ...env },
    reject: false,
  });
  return [exitCode, stderr];
}

const known = `--kubeconfig=${kubeconfig}`;
const noAccount = "no API server known: give --kubeconfig, set KUBECONFIG, or run in a Pod with a ServiceAccount";

test.each([
  [2, ["--http-prot=1"], "--http-prot is not a flag (did you mean --http-port?)"],
  [2, ["--http-port=0"], '--http-port: "0" is not a port from 1 to 65535'],
  [2, ["--http-port=443"], "--http-port and --https-port are both 443"],
  [2, ["--publish-service=web"], '--publish-service: "web" is not namespace/name'],
  [1, [], noAccount],
  [1, ["--kubeconfig=/nonexistent"], /^kubeconfig \/nonexistent cannot be read: it does not exist/],
  [1, [`--kubeconfig=${folder}/broken`], /^kubeconfig \S+\/broken cannot be read: /],
  [1, [`--kubeconfig=${folder}/empty`], /^kubeconfig \S+\/empty: its current context names no cluster$/],
  [
    1,
    ["--apiserver-host=https://127.0.0.1:1", "--certificate-authority=/nonexistent"],
    /^--certificate-authority cannot be read: it does not exist/,
  ],
  [
    1,
    [known, "--run-folder=/dev/null/run"],
    /^The run folder \/dev\/null\/run cannot be used: a file is where a folder is needed/,
  ],
] as const)("the exit code is %s for run with the arguments %j", async (code, flags, why) => {
  const [exitCode, printed] = await start(flags);
  const sentence = String(printed).replace(/^sluice run: /, "");
  expect([exitCode, sentence]).toEqual([code, typeof why === "string" ? why : expect.stringMatching(why)]);
  expect(sentence.split("\n")).toHaveLength(1);
});

test("a start without the name of its Pod ends with one sentence", async () => {
  const why = "sluice run: the variables POD_NAME and POD_NAMESPACE must name this Pod";
  expect(await start([known], { POD_NAME: "" })).toEqual([1, why]);
});

test("a start without nginx ends with one sentence", async () => {
  const started = await start([known], { NGINX_BINARY: "/nonexistent/nginx" });
  expect(started).toEqual([
    1,
    expect.stringMatching(/^sluice run: \/nonexistent\/nginx was not found; install nginx 1.22/),
  ]);
});

test.each([
  [ports.health, "The health server", "--healthz-port"],
  [ports.status, "The profiler", "--profiler-port"],
] as const)("a start whose port %i is in use ends with one sentence", async (port, who, flag) => {
  const server = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  const why = `${who} cannot listen on 127.0.0.1, port ${port} (${flag}): another program is using it.`;
  expect(await start([known, "--healthz-host=127.0.0.1"])).toEqual([1, `sluice run: ${why}`]);
});
