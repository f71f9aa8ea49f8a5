/**
 * The base of behaviour tests for annotations: a controller in one mode, a backend that echoes its
 * requests, and Ingresses in a short form (`test/support/sketch.ts`). Everything is in the
 * namespace `ns`; the Service `web` has the one endpoint.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../../src/core/model/problem.ts";
import { type Mode, startSubject } from "../../parity/subject.ts";
import { type EchoBackends, startEchoBackends } from "../../support/echo-backend.ts";
import { pkiIn } from "../../support/pki.ts";
import { ingressClass, service, slice } from "../../support/sketch.ts";
import { type Answer, type RequestOptions, request } from "./request.ts";

export interface Stand {
  /** Replaces the objects of the last call, and resolves when the new ones are live. */
  apply(...objects: readonly KubernetesObject[]): Promise<void>;
  ask(host: string, path?: string, options?: Partial<RequestOptions>): Promise<Answer>;
  /** Where https is served. */
  readonly secureAddress: string;
  /** The Problems of the Ingress with that name. */
  problemsOf(name: string): readonly string[];
  accessLog(): string;
  errorLog(): string;
  stop(): Promise<void>;
}

export interface StandOptions {
  readonly mode: Mode;
  /** The first of four ports, ten apart. */
  readonly port: number;
  /** The port of the backend. */
  readonly address: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Flags beside those of the ports. */
  readonly flags?: readonly string[];
}

const at = "192.0.2.1";

export async function startStand({ mode, port, address, settings = {}, flags = [] }: StandOptions): Promise<Stand> {
  const folder = mkdtempSync(join(tmpdir(), "stand-"));
  const logs = { access: join(folder, "access.log"), error: join(folder, "error.log") };
  const data = { "http-access-log-path": logs.access, "error-log-path": logs.error, ...settings };
  const { backend } = await pkiIn(folder);
  const backends: EchoBackends = await startEchoBackends({ addresses: [address], ...backend });
  let problems: readonly Problem[] = [];
  let applied: readonly KubernetesObject[] = [];
  const subject = await startSubject({
    mode,
    flags: [
      ...["http", "https", "default-server", "status"].map((name, n) => `--${name}-port=${port + 10 * n}`),
      ...flags,
    ],
    objects: [
      ingressClass,
      { ...controllerConfigMap, data } as KubernetesObject,
      service("web"),
      slice("web", address),
      service("none"),
    ],
    onProblems: (all) => {
      problems = all;
    },
  });
  return {
    apply: async (...objects) => {
      await subject.remove(applied);
      applied = objects;
      await subject.apply(objects);
      await subject.settled();
    },
    ask: (host, path = "/", options = {}) => request({ to: `${at}:${port}`, host, path, ...options }),
    secureAddress: `${at}:${port + 10}`,
    problemsOf: (name) => problems.filter(({ object }) => object.name === name).map(sentence),
    accessLog: () => readFileSync(logs.access, "utf8"),
    errorLog: () => readFileSync(logs.error, "utf8"),
    stop: async () => {
      await subject.stop();
      await backends.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

const controllerConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "ingress-nginx-controller", namespace: "ingress-nginx" },
};
