import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { routes } from "./routes.ts";

test("a path that would reverse a terminal's direction of writing is printed as its escape", async () => {
  const folder = mkdtempSync(join(tmpdir(), "routes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = [
    { path: "/\u202egnp", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } },
  ];
  const spec = { ingressClassName: "nginx", rules: [{ host: "a.example", http: { paths } }] };
  const metadata = { name: "web", namespace: "ns" };
  const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata, spec };
  writeFileSync(join(folder, "a.json"), JSON.stringify(ingress));
  const written: string[] = [];
  const out = { write: (some: string) => void written.push(some), fail: (why: string) => void written.push(why) };
  await routes([folder], out, new Date());
  const text = written.join("");
  expect(text).toContain("a.example/\\u202egnp");
  expect(text).not.toContain("\u202e");
});
