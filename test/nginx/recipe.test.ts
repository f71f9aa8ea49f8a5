/**
 * Follows docs/add-an-annotation.md and docs/add-a-policy.md word by word in a copy of the
 * repository: it writes the files of the page, adds its lines to the registry, runs its commands,
 * and checks that a real nginx accepts the result.
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
import { dirname, join, relative } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

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

/** Writes the files of the page and registers its feature. Returns the names of the files. */
function follow(page: string): readonly string[] {
  // The code after the words "This is `FILE`:".
  const files = [...page.matchAll(/[Tt]his is\s`([^`]+)`:\n\n```ts\n(.*?)^```$/gms)];
  const [, imported = "", listed = ""] = /^## 2.*?```ts\n(.*?)^```$.*?```ts\n(.*?)^```$/ms.exec(page) ?? [];
  for (const [, file, text] of files) {
    mkdirSync(dirname(join(copy, file!)), { recursive: true });
    writeFileSync(join(copy, file!), text!);
  }
  const registry = join(copy, "src/core/policies/registry.ts");
  const lines = readFileSync(registry, "utf8")
    .replace(/^import /m, `${imported}import `)
    .replace("export const features = {\n", `export const features = {\n${listed}`);
  writeFileSync(registry, lines);
  return files.map(([, file]) => file!);
}

/** Runs the commands of the page. Returns what each printed. */
async function runAll(page: string): Promise<ReadonlyMap<string, string>> {
  const printed = new Map<string, string>();
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => block!.trim().split("\n"));
  for (const command of blocks) printed.set(command.replace(/ *#.*$/, ""), await run(command));
  return printed;
}

async function run(command: string): Promise<string> {
  const line = command
    .replace("npx @sluice-ingress/sluice", `${process.execPath} src/main.ts`)
    .replace("npx vitest", "node_modules/.bin/vitest")
    .replace("FOLDER", "folder");
  return (await execa("bash", ["--norc", "-euo", "pipefail", "-c", line], { cwd: copy, env: { HOME: copy } })).stdout;
}

test("the steps of docs/add-an-annotation.md work", async () => {
  const page = readFileSync(join(root, "docs/add-an-annotation.md"), "utf8");
  const files = follow(page);
  expect(files).toEqual(["src/core/policies/send-timeout.ts", "src/core/policies/send-timeout.test.ts"]);
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

  const printed = await runAll(page);
  expect(printed.get("npx @sluice-ingress/sluice explain send-timeout")).toContain(
    "annotation nginx.ingress.kubernetes.io/send-timeout",
  );
  expect(printed.get("npx @sluice-ingress/sluice check FOLDER")).toContain("no errors and no warnings");
  expect(printed.get("npx @sluice-ingress/sluice render FOLDER")).toMatch(/^\s+send_timeout 10s;$/m);
  expect(readFileSync(join(copy, "docs/reference/annotations.md"), "utf8")).toContain("| `send-timeout` | `60` |");

  const usual = { ...metadata, annotations: { "nginx.ingress.kubernetes.io/send-timeout": "60" } };
  writeFileSync(join(copy, "folder/web.yaml"), JSON.stringify({ ...ingress, metadata: usual }));
  const warned = await run("npx @sluice-ingress/sluice check FOLDER || true");
  expect(warned).toContain("annotation send-timeout has no effect: nginx waits so long without it");
  expect(changed()).toEqual([
    "docs/reference/annotations.md",
    "src/core/policies/registry.ts",
    "src/core/policies/send-timeout.test.ts",
    "src/core/policies/send-timeout.ts",
  ]);

  // The same recipe for a key that has no effect without another one: only the feature's file
  // declares that.
  const file = join(copy, files[0]!);
  const beside = readFileSync(file, "utf8")
    .replace(/^import /m, 'import { proxyBuffers } from "./proxy-buffers.ts";\nimport ')
    .replace(
      /onlyWith: .*/,
      'onlyWith: { wait: (_, other) => (other(proxyBuffers).buffering === "on" ? "it buffers" : undefined) },',
    );
  writeFileSync(file, beside);
  writeFileSync(join(copy, "folder/web.yaml"), JSON.stringify(ingress));
  expect(await run("npx @sluice-ingress/sluice check FOLDER || true")).not.toContain("has no effect");
  const buffers = { ...metadata.annotations, "nginx.ingress.kubernetes.io/proxy-buffering": "on" };
  const buffering = { ...ingress, metadata: { ...metadata, annotations: buffers } };
  writeFileSync(join(copy, "folder/web.yaml"), JSON.stringify(buffering));
  expect(await run("npx @sluice-ingress/sluice check FOLDER || true")).toContain(
    "annotation send-timeout has no effect: it buffers",
  );
}, 400_000);

const folderOfBoth = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, annotations: { nginx.ingress.kubernetes.io/frame-options: DENY } }
spec:
  rules:
    - host: a.example
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: sluice }
spec: { controllerName: sluice.dev/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: public }
spec: { gatewayClassName: sluice, listeners: [{ name: http, port: 8000, protocol: HTTP }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web }
spec:
  parentRefs: [{ name: public }]
  hostnames: [b.example]
  rules:
    - filters:
        - { type: ExtensionRef, extensionRef: { group: sluice.dev, kind: RouteSettings, name: framed } }
      backendRefs: [{ name: web, port: 80 }]
---
apiVersion: sluice.dev/v1alpha1
kind: RouteSettings
metadata: { name: framed }
spec: { frame-options: SAMEORIGIN }
`;

test("the steps of docs/add-a-policy.md work for both APIs", async () => {
  const page = readFileSync(join(root, "docs/add-a-policy.md"), "utf8");
  const files = follow(page);
  expect(files).toHaveLength(2);
  mkdirSync(join(copy, "folder"));
  writeFileSync(join(copy, "folder/both.yaml"), folderOfBoth);
  const printed = await runAll(page);
  expect(printed.get("npx @sluice-ingress/sluice explain frame-options")).toContain(
    "nginx.ingress.kubernetes.io/frame-options",
  );
  expect(printed.get("npx @sluice-ingress/sluice check FOLDER")).toContain("no errors and no warnings");
  const text = printed.get("npx @sluice-ingress/sluice render FOLDER") ?? "";
  const added = [...text.matchAll(/^\s+add_header X-Frame-Options "(\w+)" always;$/gm)].map(([, value]) => value);
  expect([...new Set(added)].sort()).toEqual(["DENY", "SAMEORIGIN"]);
  expect(changed()).toEqual(["docs/reference/annotations.md", ...files, "src/core/policies/registry.ts"]);
  // RouteSettings report a bad value in the same words as an Ingress.
  writeFileSync(join(copy, "folder/both.yaml"), folderOfBoth.replaceAll(/DENY|SAMEORIGIN/g, "ALLOW"));
  const said = await run("npx @sluice-ingress/sluice check FOLDER || true");
  expect(said.match(/"ALLOW" is not one of DENY, SAMEORIGIN, backend/g)).toHaveLength(2);
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
