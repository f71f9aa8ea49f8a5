/**
 * Commands that read files print no character that controls a terminal, and no line that an object
 * has forged, wherever in the files it is.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";

const program = join(import.meta.dirname, "../../../src/main.ts");
const folder = mkdtempSync(join(tmpdir(), "sluice-terminal-"));
const evil = "\u001b[31mred\u001b]0;title\u0007\u009b2J\u202eabc\r\nforged: a line\u2028";
const inherited = "constructor";

const object = (apiVersion: string, kind: string, name: string, more: object) =>
  JSON.stringify({ apiVersion, kind, metadata: { namespace: "shop", name }, ...more });
const ofGateways = "gateway.networking.k8s.io/v1";
const image = "registry.k8s.io/ingress-nginx/controller:v1.15.1";
const container = {
  ...{ name: "controller", image, env: [{ name: evil, value: evil }] },
  args: ["/nginx-ingress-controller", `--x${evil}`, `--configmap=$(${inherited})/x${evil}`],
};
const path = { path: `/${evil}`, pathType: evil, backend: { service: { name: evil, port: { name: evil } } } };
const rules = [{ host: evil, http: { paths: [path, { ...path, path: "/" }] } }];
const route = {
  parentRefs: [{ name: evil, sectionName: evil }],
  hostnames: [evil],
  rules: [{ matches: [{ headers: [{ name: evil, value: evil }] }], filters: [{ type: evil }] }],
};

const files = {
  "deployment.yaml": object("apps/v1", "Deployment", `controller${evil}`, {
    spec: { template: { spec: { containers: [container] } } },
  }),
  "ingress.yaml": object("networking.k8s.io/v1", "Ingress", "plain", {
    metadata: {
      ...{ namespace: "shop", name: "plain", labels: { [evil]: evil } },
      annotations: {
        [`nginx.ingress.kubernetes.io/x${evil}`]: evil,
        [`nginx.ingress.kubernetes.io/${inherited}`]: "x",
        "nginx.ingress.kubernetes.io/auth-url": evil,
      },
    },
    spec: { rules, tls: [{ hosts: [evil], secretName: evil }] },
  }),
  "named.yaml": object("networking.k8s.io/v1", "Ingress", evil, { spec: { rules } }),
  "kind.yaml": object("networking.k8s.io/v1", `Ingress${evil}`, "kind", {}),
  "inherited.yaml": object("networking.k8s.io/v1", inherited, inherited, {}),
  "gateway.yaml": object(ofGateways, "Gateway", evil, {
    spec: { gatewayClassName: evil, listeners: [{ name: evil, port: 80, protocol: evil, hostname: evil }] },
  }),
  "route.yaml": object(ofGateways, "HTTPRoute", evil, { spec: route }),
  "values.yaml": JSON.stringify({
    controller: { [evil]: evil, config: { [evil]: evil }, extraArgs: { [evil]: evil }, [inherited]: { toString: 1 } },
  }),
  "broken.yaml": 'a: [\u001b[31m\u009b,\n  b: {"x": \u0007',
  "file\u001b[31m\nforged: a name.yaml": object("v1", "Service", "a_b", {}),
  "other/web.yaml": object("networking.k8s.io/v1", "Ingress", "other", { spec: {} }),
};

beforeAll(() => {
  mkdirSync(join(folder, "other"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** All that a terminal does not just print, but the end of a line. */
const strange = /.{0,40}(?!\n)[\p{Cc}\u202e\u2028].*/u;

test.each([
  ["check"],
  ["check", "-o", "json"],
  ["check", "--host", evil],
  ["compat"],
  ["compat", "-o", "json"],
  ["routes"],
  ["convert"],
  ["why", "http://shop.example/"],
  ["why", `tcp://${evil}:80`],
  ["diff", join(folder, "other")],
])("sluice %s prints nothing that controls a terminal", async (command, ...more) => {
  const { all } = await execa(process.execPath, [program, command, ...more, folder], { reject: false, all: true });
  expect(all.length).toBeGreaterThan(40);
  expect(strange.exec(all)?.[0]).toBeUndefined();
  expect(all).not.toMatch(/^\s*forged/m);
  expect(all).not.toMatch(/\[native code\]|\[object |bug in Sluice|\n +at /);
});
