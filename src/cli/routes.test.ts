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

test("refused Ingresses and Secrets that no file has are named beside the routes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "routes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const prefix = "nginx.ingress.kubernetes.io";
  const guard = { [`${prefix}/auth-type`]: "basic", [`${prefix}/auth-secret`]: "users" };
  const ingressOf = (name: string, annotations: Readonly<Record<string, string>>) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name, namespace: "ns", annotations },
    spec: {
      ingressClassName: "nginx",
      rules: [
        {
          host: `${name}.example`,
          http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name, port: { number: 80 } } } }] },
        },
      ],
    },
  });
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "other", namespace: "ns" }, data: {} };
  const notesOf = async (...words: readonly string[]) => {
    const notes: string[] = [];
    await routes([folder, ...words], { write: () => {}, fail: (why) => void notes.push(why) }, new Date());
    return notes;
  };
  const refused = "sluice routes: 1 Ingress is refused and left out: ns/cut; sluice check says why";
  const alone =
    "sluice routes: the files have no Secrets, so 1 path that needs one answers 503 here; add the file that has them";
  writeFileSync(
    join(folder, "cut.json"),
    JSON.stringify(ingressOf("cut", { [`${prefix}/server-snippet`]: "deny all;" })),
  );
  writeFileSync(join(folder, "guarded.json"), JSON.stringify(ingressOf("guarded", guard)));
  expect(await notesOf()).toEqual([refused, alone]);
  expect(await notesOf("--host", "guarded.example")).toEqual([alone]);
  writeFileSync(join(folder, "other.json"), JSON.stringify(secret));
  expect(await notesOf()).toEqual([refused]);
});
