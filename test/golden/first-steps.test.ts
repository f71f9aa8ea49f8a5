/**
 * Tests the first commands in a fresh clone: `npx @sluice-ingress/sluice` with the machine's Node,
 * and `npm start` beside a program that uses its port.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, expect, test } from "vitest";
import { nextFree } from "../../src/controller/run/free-ports.ts";

const root = join(import.meta.dirname, "../..");
const clone = mkdtempSync(join(tmpdir(), "sluice-clone-"));
cpSync(join(root, "bin"), join(clone, "bin"), { recursive: true });
mkdirSync(join(clone, "src")); // the package of npm has none
afterAll(() => rmSync(clone, { recursive: true }));

/** Makes this Node report an older version; its child processes are not affected. */
const asOld = [
  "--import",
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})`,
];

const sluice = (folder: string, ...args: readonly string[]) =>
  execa(process.execPath, [...asOld, join(folder, "bin/sluice.mjs"), ...args], { reject: false, env: { HOME: clone } });

test("without packages, or without the Node of the checkout, one line says what to run", async () => {
  const bare = await sluice(clone, "--help");
  expect(bare).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: `sluice: its packages are not installed yet; run npm install in ${clone} first`,
  });
  mkdirSync(join(clone, "node_modules/.bin"), { recursive: true });
  const old = await sluice(clone, "--help");
  expect(old).toMatchObject({ exitCode: 1, stdout: "" });
  expect(old.stderr).toMatch(/^sluice: a checkout needs Node 24, and this is v[\d.]+; run npm install in \S+ first$/);
});

test("an older Node starts the one of the checkout, with the same arguments, exit code and signals", async () => {
  writeFileSync(
    join(clone, "node_modules/.bin/node"),
    `#!/bin/sh\n[ "$2" = wait ] && { echo waits; exec sleep 600; }\nshift; echo "$@"; exit 3\n`,
    { mode: 0o755 },
  );
  expect(await sluice(clone, "check", "a folder")).toMatchObject({ exitCode: 3, stdout: "check a folder" });
  const waiting = sluice(clone, "wait");
  waiting.stdout.once("data", () => waiting.kill("SIGTERM"));
  expect(await waiting).toMatchObject({ signal: "SIGTERM", stdout: "waits" });
});

test("npx starts the checkout by the name of the package, and nothing is fetched", async () => {
  const { stdout, stderr } = await execa("npx", ["--offline", "@sluice-ingress/sluice", "--version"], { cwd: root });
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^Sluice \d/), ""]);
});

test("an older Node prints the help of the checkout, and that of one command", async () => {
  const [all, one] = await Promise.all([sluice(root, "--help"), sluice(root, "help", "check")]);
  expect(all).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Usage: sluice COMMAND") });
  expect(one).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Usage: sluice check") });
});

test("a port that is busy or already assigned is skipped", async () => {
  const server = createServer();
  const busy = await new Promise<number>((resolve) =>
    server.listen(0, () => resolve((server.address() as { readonly port: number }).port)),
  );
  try {
    const free = await nextFree(busy);
    expect(free).toBeGreaterThan(busy);
    expect(await nextFree(busy, new Set([free]))).toBeGreaterThan(free);
  } finally {
    server.close();
  }
});

test.each(["http-port", "default-server-port"])(
  "a busy port of the command line ends npm start in one line that names a free one: --%s",
  async (flag) => {
    const server = createServer();
    const busy = await new Promise<number>((resolve) =>
      server.listen(0, () => resolve((server.address() as { readonly port: number }).port)),
    );
    try {
      const started = await execa(process.execPath, [join(root, "scripts/demo.ts"), `--${flag}=${busy}`], {
        reject: false,
      });
      expect(started).toMatchObject({ exitCode: 1, stderr: "" });
      expect(started.stdout.split("\n").at(-1)).toMatch(
        new RegExp(`^npm start: another program uses port ${busy} of --${flag}; end it, or write --${flag} \\d+$`),
      );
    } finally {
      server.close();
    }
  },
);

test("output that is longer than a pipe reaches a slow reader whole", async () => {
  const folder = mkdtempSync(join(clone, "many-"));
  const ingress = (at: number) =>
    JSON.stringify({
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name: `web-${at}` },
      spec: {
        rules: [{ host: `host-${at}.example` }],
        defaultBackend: { service: { name: "web", port: { number: 80 } } },
      },
    });
  writeFileSync(join(folder, "all.yaml"), Array.from({ length: 1_000 }, (_, at) => ingress(at)).join("\n---\n"));
  const render = [process.execPath, join(root, "src/main.ts"), "render", folder];
  const whole = await execa(render[0]!, render.slice(1), { stripFinalNewline: false });
  const slow = await execa("sh", ["-c", '"$@" | { sleep 1; wc -c; }', "sh", ...render]);
  expect(whole.stdout.length).toBeGreaterThan(2 * 65_536);
  expect(Number(slow.stdout)).toBe(Buffer.byteLength(whole.stdout));
});
