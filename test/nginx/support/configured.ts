/**
 * A whole controller for tests of ConfigMap keys, with one Ingress for `*.keys.example` in front of
 * an echo backend. `set` replaces the whole ConfigMap and waits until it is live.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../../src/core/model/problem.ts";
import type { Answer } from "../../parity/answer.ts";
import { ask } from "../../parity/client.ts";
import type { RequestSpec } from "../../parity/request-spec.ts";
import { controllerConfigMap } from "../../parity/standard-objects.ts";
import { startSubject } from "../../parity/subject.ts";
import { startEchoBackends } from "../../support/echo-backend.ts";
import { ingressClass, ingress as plainIngress } from "../../support/ingress.ts";
import { type Pki, pkiIn } from "../../support/pki.ts";
import { backedService } from "../../support/sketch.ts";

export interface Configured {
  readonly ports: Ports;
  /** A folder for the test's own files, logs above all. */
  readonly folder: string;
  readonly pki: Pki;
  /** The Problems of the present settings and objects, as sentences. */
  problems(): readonly string[];
  /** Replaces the settings, adds the objects, and waits until all of it is live. */
  set(settings: Readonly<Record<string, string>>, objects?: readonly KubernetesObject[]): Promise<void>;
  /** Starts to replace the settings. */
  begin(settings: Readonly<Record<string, string>>): Promise<void>;
  settled(): Promise<void>;
  /** Sends a request to `web.keys.example`, unless `spec` names another host. */
  ask(spec?: RequestSpec): Promise<Answer>;
  /** nginx.conf as it is now. */
  conf(): string;
  /** Returns the values of all directives of that name, each once. */
  values(directive: string): readonly string[];
  stop(): Promise<void>;
}

export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly backend: number;
}

export interface ConfiguredOptions {
  /** The first of ten ports that the controller may use. */
  readonly port: number;
  readonly flags?: readonly string[];
  readonly mode?: "dynamic" | "static";
}

export const host = "web.keys.example";
export const namespace = "keys";
const backendAddress = "192.0.2.87";

export async function startConfigured({ port, flags = [], mode = "dynamic" }: ConfiguredOptions): Promise<Configured> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-keys-"));
  const pki = await pkiIn(folder);
  const ports = { http: port, https: port + 1, backend: port + 4 };
  const addresses = [backendAddress];
  const backends = await startEchoBackends({
    addresses,
    ...pki.backend,
    httpPort: ports.backend,
    httpsPort: ports.backend + 1,
  });
  const own = [
    `--http-port=${ports.http}`,
    `--https-port=${ports.https}`,
    `--default-server-port=${port + 2}`,
    `--status-port=${port + 3}`,
  ];
  let problems: readonly Problem[] = [];
  const subject = await startSubject({
    mode,
    flags: [...own, ...flags],
    objects: around(ports.backend, pki),
    onProblems: (all) => {
      problems = all;
    },
  });
  const conf = () => readFileSync(join(subject.root, "nginx.conf"), "utf8");
  const begin = (settings: Readonly<Record<string, string>>) =>
    subject.apply([controllerConfigMap(settings)]).then(() => {});
  return {
    ports,
    folder,
    pki,
    begin,
    conf,
    settled: subject.settled,
    problems: () => problems.map(sentence),
    set: async (settings, objects = []) => {
      await subject.apply([...objects, controllerConfigMap(settings)]);
      await subject.settled();
    },
    ask: (spec = {}) =>
      ask({ host, port: spec.scheme === "https" ? ports.https : ports.http, ...spec }, new Map(), pki),
    values: (directive) => [
      ...new Set([...conf().matchAll(new RegExp(`^\\s*${directive} (.*);$`, "gm"))].map(([, value]) => value!)),
    ],
    stop: async () => {
      await subject.stop();
      await backends.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function around(backendPort: number, pki: Pki): readonly KubernetesObject[] {
  const tls = { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key };
  const objects = [
    ingressClass,
    secret("tls", tls, "kubernetes.io/tls"),
    ...service("web", backendPort, [backendAddress]),
    ingress("web", "*.keys.example", "web"),
  ];
  return objects as unknown as readonly KubernetesObject[];
}

/** Makes a Secret; `texts` is its content before encoding. */
export function secret(name: string, texts: Readonly<Record<string, string>>, type = "Opaque"): KubernetesObject {
  const encoded = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  const metadata = { name, namespace, uid: name };
  return { apiVersion: "v1", kind: "Secret", metadata, type, data: Object.fromEntries(encoded) } as KubernetesObject;
}

/** Makes a Service with its EndpointSlice. */
export const service = (name: string, port: number, addresses: readonly string[]): readonly KubernetesObject[] =>
  backedService({ name, namespace, addresses, port });

export interface IngressMore {
  /** Without their prefix. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Whether the host has the certificate of the Secret `tls`. */
  readonly tls?: boolean;
  readonly path?: string;
}

export function ingress(name: string, host: string, backend: string, more: IngressMore = {}): KubernetesObject {
  const { annotations = {}, tls = false, path = "/" } = more;
  const metadata = { uid: name };
  return plainIngress({
    ...{ name, namespace, host, annotations, metadata },
    paths: [[path, backend]],
    tls: tls ? "tls" : undefined,
  });
}
