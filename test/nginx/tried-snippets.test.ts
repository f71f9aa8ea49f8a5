/** The nginx of this machine tests snippets for `sluice check`, `routes` and `compat`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { check } from "../../src/cli/check.ts";
import { compat } from "../../src/cli/compat.ts";
import type { Out } from "../../src/cli/out.ts";
import { routes } from "../../src/cli/routes.ts";

type Tool = (argv: readonly string[], out: Out) => number | Promise<number>;

async function ran(tool: Tool, ...argv: readonly string[]) {
  let [text, notes] = ["", ""];
  const out: Out = {
    write: (more) => {
      text += more;
    },
    fail: (note) => {
      notes += `${note}\n`;
    },
  };
  const code = await tool(argv, out);
  return { code, text: text.replace(/\s+/g, " "), notes };
}

const permitting = (more = "") => `apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical${more} }
`;
const ingress = (name: string, annotations: Readonly<Record<string, string>>, path = "/") => {
  const own = Object.entries(annotations).map(([key, text]) => [`nginx.ingress.kubernetes.io/${key}`, text]);
  const backend = { service: { name: "web", port: { number: 80 } } };
  const rule = { host: `${name}.example`, http: { paths: [{ path, pathType: "Exact", backend }] } };
  return JSON.stringify({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { namespace: "shop", name, annotations: Object.fromEntries(own) },
    spec: { ingressClassName: "nginx", rules: [rule] },
  });
};

function fileOf(...objects: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-tried-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "all.yaml");
  writeFileSync(file, objects.join("\n---\n"));
  return file;
}

test("nginx finds what it refuses in the snippets of each Ingress, and good ones are not named", async () => {
  const file = fileOf(
    permitting(),
    ingress("good", { "configuration-snippet": "add_header X-Good yes;" }),
    ingress("unknown", { "configuration-snippet": "add_header X-A 1;\nproxy_set_haeder X-B 2;" }),
    ingress("undeclared", { "configuration-snippet": "add_header X-A $nothing_declares;" }),
    ingress("auth", { "auth-url": "http://auth.example/", "auth-snippet": "location /open { return 200; }" }),
    ingress("twice", { "server-snippet": "location = /a { return 200; }" }, "/a"),
  );
  const found = await ran(check, file);
  expect(found.code).toBe(1);
  expect(found.notes).toMatch(/5 snippets were tested with nginx \d+\.\d+\.\d+ of this machine/);
  const refused = [...found.text.matchAll(/Ingress shop\/(\w+): annotation (\S+): (.*?); nginx would refuse it/g)];
  expect(refused.map(([, name, key]) => [name, key]).sort()).toEqual([
    ["auth", "auth-snippet"],
    ["twice", "server-snippet"],
    ["undeclared", "configuration-snippet"],
    ["unknown", "configuration-snippet"],
  ]);
  expect(found.text).toContain("proxy_set_haeder");
  const listed = await ran((argv, out) => routes(argv, out, new Date(0)), file);
  expect(listed.notes).toContain("nginx would refuse 4 Ingresses");
  const judged = await ran(compat, file);
  expect(judged.code).toBe(1);
  expect(judged.text).toMatch(/Needs work Annotations .*proxy_set_haeder.*: nginx would refuse the snippet/);
  expect(judged.text).toContain("5 snippets were tested with nginx");
});

test("a snippet of the ConfigMap is named by its key", async () => {
  const file = fileOf(permitting(', http-snippet: "wasm { module a; }"'));
  const found = await ran(check, file);
  expect(found.text).toMatch(/ConfigMap ingress-nginx\/ingress-nginx-controller: data\.http-snippet: .*"wasm"/);
  const judged = await ran(compat, file);
  expect(judged.text).toMatch(/key http-snippet.*"wasm".*: nginx would refuse the snippet/);
});

test("of two snippets of one Ingress that is named which has the word that nginx quotes", async () => {
  const snippets = { "configuration-snippet": "add_header X-A 1;", "server-snippet": "retrun 404;" };
  const found = await ran(check, fileOf(permitting(), ingress("both", snippets)));
  expect(found.text).toMatch(/Ingress shop\/both: annotation server-snippet: .*"retrun"/);
});

test("a port of a Gateway may be in use on this machine", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const file = fileOf(
    permitting(),
    ingress("good", { "configuration-snippet": "add_header X-Good yes;" }),
    JSON.stringify({
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: "sluice" },
      spec: { controllerName: "sluice.dev/gateway-controller" },
    }),
    JSON.stringify({
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { namespace: "shop", name: "own" },
      spec: { gatewayClassName: "sluice", listeners: [{ name: "own", port, protocol: "HTTP" }] },
    }),
  );
  expect((await ran(check, file)).notes).toMatch(/1 snippet was tested with nginx/);
});
