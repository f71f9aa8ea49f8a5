/**
 * A host with `ssl-passthrough` on a real nginx, as an Ingress and as the routes that `sluice
 * convert` makes of it: TLS ends at the backend, and plain http gets what it got before.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server, connect as tlsConnect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import type { Converted } from "../../src/move/convert/converted.ts";
import { startConverted } from "../parity/converted-subject.ts";
import { type Subject, startSubject } from "../parity/subject.ts";
import { pkiIn } from "../support/pki.ts";

const [machine, http, https] = ["192.0.2.1", 80, 443];
const address = "192.0.2.61";
const folder = mkdtempSync(join(tmpdir(), "converted-passthrough-"));
let backend: Server;
let made: Converted | undefined;

beforeAll(async () => {
  const { backend: pair } = await pkiIn(folder);
  backend = createServer({ cert: pair.certificate, key: pair.key }, (socket) => {
    socket.on("error", () => {});
    socket.end("hello");
  });
  await new Promise<void>((resolve) => backend.listen(0, address, resolve));
});

afterAll(() => {
  backend.close();
  rmSync(folder, { recursive: true });
});

const metadata = (name: string) => ({ name, namespace: "ns", uid: name });

function objects(): readonly KubernetesObject[] {
  const ingress = (name: string, annotations: Readonly<Record<string, string>>) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { ...metadata(name), annotations },
    spec: {
      ingressClassName: "nginx",
      rules: [
        {
          host: `${name}.example`,
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "tls", port: { name: "https" } } } }],
          },
        },
      ],
    },
  });
  return [
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: { name: "nginx" },
      spec: { controller: "k8s.io/ingress-nginx" },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: metadata("tls"),
      spec: { ports: [{ name: "https", port: 443, targetPort: "tls" }] },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata("tls-1"), labels: { "kubernetes.io/service-name": "tls" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [address] }],
      ports: [{ name: "https", port: (backend.address() as AddressInfo).port, protocol: "TCP" }],
    },
    ingress("through", {
      "nginx.ingress.kubernetes.io/ssl-passthrough": "true",
      "nginx.ingress.kubernetes.io/force-ssl-redirect": "true",
    }),
    ingress("ended", {}),
  ] as unknown as readonly KubernetesObject[];
}

/** Returns the name in the certificate that a client sees, and what it reads behind it. */
function overTls(servername: string): Promise<readonly [name: string, text: string]> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({ host: machine, port: https, servername, rejectUnauthorized: false }, () => {
      const name = String(socket.getPeerCertificate().subject.CN);
      if (name !== "backend.example") socket.destroy();
      let text = "";
      socket.on("data", (data) => (text += data)).on("close", () => resolve([name, text]));
    });
    socket.on("error", reject);
  });
}

function overHttp(host: string): Promise<readonly [status: number | undefined, location: string | undefined]> {
  return new Promise((resolve, reject) => {
    get({ host: machine, port: http, path: "/a?b=c", headers: { host }, agent: false }, (answer) => {
      answer.resume().on("end", () => resolve([answer.statusCode, answer.headers.location]));
    }).on("error", reject);
  });
}

describe.each([
  ["as an Ingress", startSubject],
  ["as routes", startConverted((one) => (made = one))],
] as const)("a host with ssl-passthrough %s", (_, start) => {
  let subject: Subject;

  beforeAll(async () => {
    subject = await start({ mode: "dynamic", flags: ["--enable-ssl-passthrough"], objects: objects() });
    await subject.settled();
  });

  afterAll(() => subject.stop());

  test("ends TLS at the backend, and here for another host", async () => {
    expect(await overTls("through.example")).toEqual(["backend.example", "hello"]);
    expect(await overTls("ended.example")).toEqual(["Kubernetes Ingress Controller Fake Certificate", ""]);
  });

  test("redirects plain http", async () => {
    expect(await overHttp("through.example")).toEqual([308, "https://through.example/a?b=c"]);
  });
});

test("the routes are a TLSRoute and an HTTPRoute, and are proved", () => {
  const routes = made?.conversion.objects.map(({ object }) => `${object.kind} ${object.metadata.name}`);
  expect(routes).toEqual(expect.arrayContaining(["HTTPRoute through", "TLSRoute through", "HTTPRoute ended"]));
  expect([made?.conversion.kept.size, made?.proof.differences]).toEqual([0, []]);
});
