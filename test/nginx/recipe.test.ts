/**
 * Follows docs/add-an-annotation.md word by word in a copy of the repository: it writes the files
 * of the page, adds its lines to the registry, runs its commands, and checks that a real nginx
 * accepts the result.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/add-an-annotation.md"), "utf8");

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), "sluice-recipe-"));
  for (const part of [
    "src",
    "templates",
    "nginx",
    "docs",
    "test/support",
    "test/fixtures",
    "package.json",
    "tsconfig.json",
    "vitest.config.ts",
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
});
afterEach(() => rmSync(copy, { recursive: true }));

/** The code after the words "This is `FILE`:", by file. */
const files = [...page.matchAll(/[Tt]his is\s`([^`]+)`:\n\n```ts\n(.*?)^```$/gms)].map(
  ([, file, text]) => [file!, text!] as const,
);
const [imported = "", listed = ""] = [...page.matchAll(/^## 2.*?```ts\n(.*?)^```$.*?```ts\n(.*?)^```$/gms)].flatMap(
  ([, ...lines]) => lines,
);

async function run(command: string): Promise<string> {
  const line = command
    .replace("npx sluice", `${process.execPath} src/main.ts`)
    .replace("npx vitest", "node_modules/.bin/vitest")
    .replace("FOLDER", "folder");
  return (await execa("bash", ["--norc", "-euo", "pipefail", "-c", line], { cwd: copy, env: { HOME: copy } })).stdout;
}

test("the steps of docs/add-an-annotation.md work", async () => {
  expect(files.map(([file]) => file)).toEqual([
    "src/core/policies/send-timeout.ts",
    "src/core/policies/send-timeout.test.ts",
  ]);
  for (const [file, text] of files) writeFileSync(join(copy, file), text);
  const registry = join(copy, "src/core/policies/registry.ts");
  const before = readFileSync(registry, "utf8");
  writeFileSync(
    registry,
    before
      .replace(/^import /m, `${imported}import `)
      .replace("export const features = {\n", `export const features = {\n${listed}`),
  );
  mkdirSync(join(copy, "folder"));
  const metadata = { name: "web", annotations: { "nginx.ingress.kubernetes.io/send-timeout": "10" } };
  const http = {
    paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }],
  };
  const ingress = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata,
    spec: { rules: [{ host: "a.example", http }] },
  };
  writeFileSync(join(copy, "folder/web.yaml"), JSON.stringify(ingress));

  const printed = new Map<string, string>();
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => block!.trim().split("\n"));
  for (const command of blocks) printed.set(command.replace(/ *#.*$/, ""), await run(command));
  expect(printed.get("npx sluice explain send-timeout")).toContain(
    "annotation nginx.ingress.kubernetes.io/send-timeout",
  );
  expect(printed.get("npx sluice check FOLDER")).toContain("no errors and no warnings");
  expect(printed.get("npx sluice render FOLDER")).toMatch(/^\s+send_timeout 10s;$/m);
  expect(readFileSync(join(copy, "docs/reference/annotations.md"), "utf8")).toContain("| `send-timeout` | `60` |");

  const usual = { ...metadata, annotations: { "nginx.ingress.kubernetes.io/send-timeout": "60" } };
  writeFileSync(join(copy, "folder/web.yaml"), JSON.stringify({ ...ingress, metadata: usual }));
  const warned = await run("npx sluice check FOLDER || true");
  expect(warned).toContain("annotation send-timeout has no effect: nginx waits so long without it");
  expect(changed()).toEqual([
    "docs/reference/annotations.md",
    "src/core/policies/registry.ts",
    "src/core/policies/send-timeout.test.ts",
    "src/core/policies/send-timeout.ts",
  ]);

  // The same recipe for a key that has no effect without another one: only the feature's file
  // declares that.
  const file = join(copy, files[0]![0]);
  const beside = readFileSync(file, "utf8")
    .replace(/^import /m, 'import { proxyBuffers } from "./proxy-buffers.ts";\nimport ')
    .replace(
      /onlyWith: .*/,
      'onlyWith: { wait: (_, other) => (other(proxyBuffers).buffering === "on" ? "it buffers" : undefined) },',
    );
  writeFileSync(file, beside);
  writeFileSync(join(copy, "folder/web.yaml"), JSON.stringify(ingress));
  expect(await run("npx sluice check FOLDER || true")).not.toContain("has no effect");
  const buffers = { ...metadata.annotations, "nginx.ingress.kubernetes.io/proxy-buffering": "on" };
  const buffering = { ...ingress, metadata: { ...metadata, annotations: buffers } };
  writeFileSync(join(copy, "folder/web.yaml"), JSON.stringify(buffering));
  expect(await run("npx sluice check FOLDER || true")).toContain("annotation send-timeout has no effect: it buffers");
}, 400_000);

/** Returns the files of the copy that differ from the repository or are new. */
function changed(): string[] {
  const all = readdirSync(copy, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = all.map(({ parentPath, name }) => relative(copy, join(parentPath, name)));
  return paths.filter((path) => !/^(folder|node_modules|\.)/.test(path) && isOther(path)).sort();
}

function isOther(path: string): boolean {
  const [own, theirs] = [join(root, path), join(copy, path)];
  return !existsSync(own) || !readFileSync(own).equals(readFileSync(theirs));
}
