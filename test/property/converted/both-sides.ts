/**
 * Two controllers with an nginx each: one serves Ingresses, and the other the routes that `sluice
 * convert` makes of them.
 */
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Controller } from "../../../src/controller/controller.ts";
import { issued } from "../../../src/core/certificates/issue.ts";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { emptySnapshot, type Snapshot, tableOf, withObjects } from "../../../src/core/model/snapshot.ts";
import { type Converted, converted } from "../../../src/move/convert/converted.ts";
import { changesBetween, gateway } from "../../parity/converted-subject.ts";
import { clusterObjects, standardObjects } from "../../parity/standard-objects.ts";
import { flagsOf, MemorySource, present, startOn } from "../../parity/subject.ts";
import { startEchoBackends } from "../../support/echo-backend.ts";
import { type Pki, pkiIn } from "../../support/pki.ts";
import { answerTo, type Fields } from "./client.ts";
import type { DrawnRequest } from "./requests.ts";
import { type IngressSketch, namespaces, objectsOf, servicesOf } from "./worlds.ts";

const addresses = { ingresses: "192.0.2.1", routes: "192.0.2.2" } as const;
const fallback = "--default-ssl-certificate=ns/fallback";

export interface BothSides {
  /**
   * Serves these Ingresses on one side and their routes on the other, and returns the result of the
   * conversion.
   */
  serve(sketches: readonly IngressSketch[], settings: Readonly<Record<string, string>>): Promise<Converted>;
  /**
   * Sends the request to both sides, and returns the answer of the Ingresses and that of the
   * routes.
   */
  ask(asked: DrawnRequest): Promise<readonly [Fields, Fields]>;
  stop(): Promise<void>;
}

/** A controller with its nginx, whose objects are replaced as a whole. */
class Side {
  readonly #source: MemorySource;
  readonly #controller: Controller;
  #served: Snapshot;

  private constructor(source: MemorySource, controller: Controller, served: Snapshot) {
    this.#source = source;
    this.#controller = controller;
    this.#served = served;
  }

  static async start(first: Snapshot, root: string, flags: readonly string[]): Promise<Side> {
    const source = new MemorySource();
    source.change(changesBetween(emptySnapshot, first));
    const parsed = flagsOf("dynamic", flags);
    mkdirSync(root);
    return new Side(source, await startOn(source, root, parsed, () => {}, { sharesPorts: true }), first);
  }

  async serve(next: Snapshot): Promise<void> {
    this.#source.change(changesBetween(this.#served, next));
    this.#served = next;
    await this.#controller.sync.settled();
  }

  stop(): Promise<unknown> {
    return this.#controller.stop(0);
  }
}

export async function startBothSides(): Promise<BothSides> {
  const folder = mkdtempSync(join(tmpdir(), "both-sides-"));
  const pki = await pkiIn(folder);
  const backends = await startEchoBackends({ addresses: backendAddresses, ...pki.backend });
  const ports = (first: number) => [`--default-server-port=${first}`, `--status-port=${first + 1}`];
  const flags = { ingresses: [fallback, ...ports(8181)], routes: [fallback, ...ports(8191)] };
  const surroundings = surroundingsOf(pki);
  const snapshotOf = (objects: readonly KubernetesObject[], settings: Readonly<Record<string, string>>) =>
    withObjects(emptySnapshot, [...surroundings, configMap(settings), ...objects].filter(isWatched).map(present));
  const bare = (address: string) => snapshotOf([], { ...basics, "bind-address": address });
  const ingresses = await Side.start(bare(addresses.ingresses), join(folder, "ingresses"), flags.ingresses);
  const routes = await Side.start(bare(addresses.routes), join(folder, "routes"), flags.routes);
  const sides = [ingresses, routes];
  let served = 0;
  // Each world gets new uids. Otherwise a refused object would be replaced by the last good form of
  // an object of the same name from an earlier world.
  const anew = (one: KubernetesObject): KubernetesObject => ({
    ...one,
    metadata: { ...one.metadata, uid: `${one.metadata.name}-${served}` },
  });
  return {
    async serve(sketches, settings) {
      const families = [...new Set(sketches.map(({ family }) => family))];
      served += 1;
      const objects = [...families.flatMap(servicesOf), ...objectsOf(sketches).map(anew)];
      const boundTo = (address: string) => snapshotOf(objects, { ...basics, ...settings, "bind-address": address });
      const parsed = flagsOf("dynamic", flags.routes);
      const made = converted(
        boundTo(addresses.routes),
        { flags: parsed, as: "run" },
        { gateway, gatewayClass: "sluice" },
      );
      await Promise.all([ingresses.serve(boundTo(addresses.ingresses)), routes.serve(made.after)]);
      return made;
    },
    ask: async (asked) => [await answerTo(asked, addresses.ingresses), await answerTo(asked, addresses.routes)],
    stop: async () => {
      await Promise.all([...sides.map((side) => side.stop()), backends.stop() as Promise<unknown>]);
      rmSync(folder, { recursive: true });
    },
  };
}

const backendAddresses = [11, 12, 13, 19, 20, 30].map((last) => `192.0.2.${last}`);

/**
 * Settings of each world, without which the two nginx could not share one machine, or most
 * annotations would be forbidden.
 */
const basics = {
  "allow-snippet-annotations": "true",
  "annotations-risk-level": "Critical",
  "allow-cross-namespace-resources": "true",
  "global-allowed-response-headers": "X-Custom,X-Other",
  "error-log-level": "crit",
};

const isWatched = ({ kind }: KubernetesObject): boolean => kind in tableOf;

function configMap(data: Readonly<Record<string, string>>): KubernetesObject {
  const metadata = { name: "ingress-nginx-controller", namespace: "ingress-nginx" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data } as KubernetesObject;
}

function surroundingsOf(pki: Pki): readonly KubernetesObject[] {
  const others = clusterObjects(pki).filter(({ kind }) => kind !== "ConfigMap");
  const ofNamespaces = namespaces.flatMap((namespace) => [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...standardObjects(namespace, pki).filter(({ metadata }) => metadata.name !== "tls"),
    secret(namespace, "passwords", { auth: "ann:{PLAIN}pass\n" }),
    secret(namespace, "users", { ann: "{PLAIN}pass" }),
    secret(namespace, "tls", certificateOf("families", families)),
    secret(namespace, "fallback", certificateOf("fallback", ["fallback.test"])),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "headers", namespace },
      data: { "X-Custom": `of ${namespace}`, "X-Other": "value" },
    },
  ]);
  return [...others, ...(ofNamespaces as KubernetesObject[])].map(withData);
}

/** Turns `stringData` into `data`, as an API server does. */
function withData(object: KubernetesObject): KubernetesObject {
  const { stringData, ...rest } = object as KubernetesObject & { stringData?: Readonly<Record<string, string>> };
  if (stringData === undefined) return object;
  const data = Object.entries(stringData).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
  return { ...rest, data: Object.fromEntries(data) } as KubernetesObject;
}

const secret = (namespace: string, name: string, stringData: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Secret",
  type: "tls.crt" in stringData ? "kubernetes.io/tls" : "Opaque",
  metadata: { name, namespace },
  stringData,
});

/** The domains of the families. */
export const familyNames = Array.from({ length: 12 }, (_, at) => `f${at}.test`);
const families = familyNames.flatMap((family) => [family, `*.${family}`, `*.sub.${family}`]);

function certificateOf(commonName: string, names: readonly string[]): Readonly<Record<string, string>> {
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = { organization: "Sluice", commonName };
  const yearMs = 365 * 24 * 3600 * 1000;
  const certificate = issued({
    ...{ subject: name, issuer: name, key, signingKey: key },
    ...{ notBefore: new Date(Date.now() - yearMs), notAfter: new Date(Date.now() + yearMs) },
    use: { kind: "server", names },
  });
  return { "tls.crt": certificate, "tls.key": key.export({ type: "pkcs8", format: "pem" }).toString() };
}
