/**
 * The controller loads our module if the text has its directive, in both modes: the image's
 * `sluice serve` with a permitted snippet that checks the names of a TLS backend. If no text needs
 * it, it is not loaded.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { pkiIn } from "../support/pki.ts";
import { type Container, type Image, openImage, startContainer } from "./support/container.ts";

const backendPort = 21_972;
const folder = mkdtempSync(join(tmpdir(), "sluice-san-loaded-"));
let image: Image;
let backend: Server;

beforeAll(async () => {
  image = openImage();
  const { alt } = await pkiIn(join(folder, "pki"));
  backend = createServer({ cert: alt.certificate, key: alt.key }, (_, answer) => answer.end("backend"));
  await new Promise<void>((resolve) => backend.listen(backendPort, "127.0.0.1", () => resolve()));
});
afterAll(() => {
  backend?.close();
  backend?.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const object = (apiVersion: string, kind: string, name: string, more: object) => ({
  apiVersion,
  kind,
  metadata: { namespace: "shop", name },
  ...more,
});

/** Sends to the backend over TLS; with `names`, these are checked. */
function ingress(name: string, names?: string) {
  const check = `proxy_ssl_verify on; proxy_ssl_trusted_certificate /pki/ca.crt; upstream_ssl_verify_san ${names};`;
  const annotations = {
    "nginx.ingress.kubernetes.io/backend-protocol": "HTTPS",
    ...(names === undefined ? {} : { "nginx.ingress.kubernetes.io/configuration-snippet": check }),
  };
  const paths = [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 443 } } } }];
  const spec = { rules: [{ host: `${name}.example`, http: { paths } }] };
  const made = object("networking.k8s.io/v1", "Ingress", name, { spec });
  return { ...made, metadata: { ...made.metadata, annotations } };
}

const slice = {
  ...object("discovery.k8s.io/v1", "EndpointSlice", "web-1", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["127.0.0.1"] }],
    ports: [{ port: backendPort }],
  }),
  metadata: { namespace: "shop", name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
};
const settings = {
  ...object("v1", "ConfigMap", "settings", {
    data: { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" },
  }),
  metadata: { namespace: "ingress-nginx", name: "ingress-nginx-controller" },
};
const cluster = [object("v1", "Service", "web", { spec: { ports: [{ port: 443 }] } }), slice, settings];

describe.each(["dynamic", "static"])("in %s mode", (mode) => {
  const manifests = join(folder, mode);
  let running: Container;
  const write = (file: string, ...objects: readonly object[]) =>
    writeFileSync(join(manifests, file), objects.map((one) => JSON.stringify(one)).join("\n---\n"));
  const ask = (name: string) =>
    request({ to: "127.0.0.1:8080", host: `${name}.example` }).then(
      ({ status }) => status,
      () => undefined,
    );

  beforeAll(async () => {
    mkdirSync(manifests);
    for (const one of [folder, manifests, join(folder, "pki")]) chmodSync(one, 0o755);
    write("cluster.yaml", ...cluster, ingress("plain"));
    running = startContainer(image, {
      args: ["sluice", "serve", "/manifests", "--run-folder=/tmp/run", `--mode=${mode}`],
      mounts: { "/manifests": manifests, "/pki": join(folder, "pki") },
    });
    await until("a backend over TLS is served without the module", async () => (await ask("plain")) === 200, 120_000);
  });
  afterAll(async () => {
    running?.kill("SIGTERM");
    const { text, exitCode } = (await running?.ended) ?? {};
    expect(exitCode, text).toBe(0);
  });

  test("the names of a snippet's backend are checked, and those of other backends are not", async () => {
    write("checked.yaml", ingress("right", "dns:alt.example"), ingress("wrong", "dns:other.example"));
    await until("the snippets are served", async () => (await ask("right")) === 200);
    // A worker from before the reload may still accept a connection, and it has neither host.
    await until("a name that the backend does not have is refused", async () => (await ask("wrong")) === 502);
    expect(await ask("plain")).toBe(200);
  });
});
