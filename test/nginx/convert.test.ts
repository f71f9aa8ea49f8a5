/**
 * `sluice convert --requests` serves Ingresses and routes with one local nginx each, and sends
 * requests to both.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { convert } from "../../src/cli/convert.ts";
import { ran } from "../golden/support/ran.ts";
import { toWeb, webAt } from "./support/serve.ts";

let folder: string;
let outside: Server;
/** Requests that reached a real backend or the auth service. */
const seen: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-requests-"));
  outside = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end();
  });
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  outside.close();
  rmSync(folder, { recursive: true });
});

const snippetsAllowed = `apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical }
`;

const port = () => (outside.address() as AddressInfo).port;

async function converted(files: Readonly<Record<string, string>>) {
  const from = mkdtempSync(join(folder, "cluster-"));
  for (const [name, text] of Object.entries({ ...files, "web.yaml": webAt(port()) }))
    writeFileSync(join(from, name), text);
  const words = ["--requests", "--accept", "fake-certificate", "--to", join(folder, "written")];
  const { code, text, failure } = await ran(convert, from, ...words);
  const [, asked = "", left = ""] = /nginx was asked (\d+) of these requests, (\d+) were left out/.exec(text) ?? [];
  return { code, text, failure, asked: Number(asked), left: Number(left) };
}

test("both sides get the same requests, and no other program gets any", { timeout: 60_000 }, async () => {
  const auth = `nginx.ingress.kubernetes.io/auth-url: "http://127.0.0.1:${port()}/auth"`;
  const { code, text, failure, asked, left } = await converted({
    "shop.yaml": toWeb({
      host: "shop.example",
      path: "/api",
      annotations: 'nginx.ingress.kubernetes.io/enable-cors: "true"',
    }),
    "guarded.yaml": toWeb({ host: "guarded.example", name: "guarded", annotations: auth }),
  });
  expect(text, failure).toMatch(/^3 hosts were compared by \d+ requests/m);
  expect({ code, differs: text.match(/^differs.*/gm) }).toEqual({ code: 0, differs: null });
  expect(asked).toBeGreaterThan(9);
  expect(left).toBeGreaterThan(0);
  expect(seen).toEqual([]);
});

test("a differing answer is reported with its request, although no setting differs", {
  timeout: 60_000,
}, async () => {
  const snippet = 'nginx.ingress.kubernetes.io/configuration-snippet: "add_header X-Path $location_path;"';
  const annotations = `nginx.ingress.kubernetes.io/use-regex: "true", ${snippet}`;
  const shop = toWeb({ host: "shop.example", path: '"/v[0-9]"', annotations });
  const { code, text } = await converted({
    "shop.yaml": shop.replace("Prefix", "ImplementationSpecific"),
    "settings.yaml": snippetsAllowed,
  });
  expect(code, text).toBe(1);
  expect(text).toContain("differs: answer (header x-path) at shop.example\n  GET http://shop.example/v0\n");
  expect(text).toContain("/v[0-9]\n");
});
