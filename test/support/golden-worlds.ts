/**
 * Golden worlds: a few objects of both APIs, requests, their decisions and the answers of nginx. A
 * world is the file `world.yaml` of a folder. Its first document has the title and the requests,
 * and objects follow. A document with `then` begins a second step: its objects replace those of the
 * same name or join them. Objects are written short: `complete` says what it adds.
 *
 * A request is `POST https://a.test/x sni=b.test {one: x}`, of which the URL is enough. A port in
 * the URL is that of the Gateway `ns/apart`; all others arrive at the address of Ingresses.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { Certificate } from "../../src/core/model/configuration.ts";
import { type KubernetesObject, keyOf, objectKey } from "../../src/core/model/objects.ts";
import { emptyLastGood } from "../../src/core/table/last-good.ts";
import { emptyQuarantine, versionOf } from "../../src/core/table/quarantine.ts";
import { type Translation, Translator } from "../../src/core/table/translator.ts";
import type { Question } from "./decided.ts";
import { gatewayClass, namespace } from "./gateways.ts";
import { ingressClass } from "./ingress.ts";
import { pairOf } from "./named-pair.ts";
import { snapshotOf, type World, worldOptions } from "./world-options.ts";

export interface GoldenWorld {
  readonly title: string;
  /** Whether nginx passes TLS of some hosts through, so that all of it arrives at a socket. */
  readonly passthrough: boolean;
  /** A regular expression of lines in nginx's text that matter. */
  readonly text: string | undefined;
  readonly steps: readonly GoldenStep[];
}

export interface GoldenStep extends World {
  /** Empty for the first step. */
  readonly then: string;
  readonly requests: readonly string[];
  /** Headers of the answers that matter. */
  readonly headers: readonly string[];
  /** Objects whose present version nginx is said to refuse: `Ingress ns/web`. */
  readonly quarantined: readonly string[];
  /** Whether nginx keeps the text of the step before, and gets only the new data. */
  readonly oldText: boolean;
}

export const worldsFolder = join(import.meta.dirname, "../golden/worlds");
export const goldenNames: readonly string[] = readdirSync(worldsFolder);

type Head = Partial<Record<"title" | "then" | "text", string>> & { readonly passthrough?: boolean } & Partial<
    Pick<GoldenStep, "requests" | "headers" | "quarantined" | "oldText">
  >;

export function goldenWorld(name: string): GoldenWorld {
  const text = readFileSync(join(worldsFolder, name, "world.yaml"), "utf8");
  const [head, ...rest] = parseAllDocuments(text).map((document) => document.toJS());
  const steps: GoldenStep[] = [];
  let all = new Map<string, KubernetesObject>();
  let next: Head = head;
  const end = () => {
    const { then = "", requests = [], headers = [], quarantined = [], oldText = false } = next;
    const objects = [...surroundings, ...all.values()];
    steps.push({ then, requests, headers, quarantined, oldText, objects, services: [] });
  };
  for (const document of rest) {
    if ("kind" in document) {
      const object = complete(document);
      all = new Map(all).set(`${object.kind} ${object.metadata.namespace}/${object.metadata.name}`, object);
    } else {
      end();
      next = document;
    }
  }
  end();
  const { title, passthrough = false, text: lines } = head;
  // A last good form may name a Service that its object no longer names.
  const services = servicesOf(steps.flatMap(({ objects }) => objects));
  return { title, passthrough, text: lines, steps: steps.map((step) => ({ ...step, services })) };
}

const called = (object: KubernetesObject) => objectKey(object.kind, keyOf(object));

/**
 * Returns what each step makes of its objects, after the steps before. `certificate` is the one for
 * hosts without their own.
 */
export function translationsOf(
  { steps, passthrough }: GoldenWorld,
  base: number,
  certificate: Certificate,
): readonly Translation[] {
  const options = { ...worldOptions(base), enableSslPassthrough: passthrough };
  const translator = new Translator(options, certificate);
  let lastGood = emptyLastGood;
  return steps.map((step, at) => {
    const isRefused = (object: KubernetesObject) => step.quarantined.includes(called(object));
    const refused = new Map(
      step.objects.filter(isRefused).map((one) => [called(one), { version: versionOf(one), why: "refused" }]),
    );
    // The sync keeps the versions before as the last good ones.
    const good = steps[at - 1]?.objects.filter(isRefused).map((one) => [called(one), one] as const) ?? [];
    const translation = translator.turn({
      snapshot: snapshotOf(step),
      lastGood: { ...lastGood, objects: lastGood.objects.with(good) },
      quarantine: { ...emptyQuarantine, objects: refused },
    });
    lastGood = translation.lastGood;
    return translation;
  });
}

export function questionOf(text: string): Question {
  const [, method = "GET", scheme, host = "", port, target = "", sni, headers = "{}"] =
    /^(?:([A-Z]+) )?(https?):\/\/([^/:]+)(?::(\d+))?(\/\S*)(?: sni=(\S*))?(?: (\{.*\}))?$/.exec(text)!;
  return {
    ...(port === undefined ? {} : { gateway: "ns/apart", port: Number(port) }),
    ...{ scheme: scheme as "http", host, method, target },
    ...(sni === undefined ? {} : { sni }),
    headers: Object.fromEntries(Object.entries(parse(headers)).map(([name, value]) => [name, String(value)])),
  };
}

const spaces = ["ns", "other", "third"];
const surroundings: readonly KubernetesObject[] = [
  gatewayClass(),
  ingressClass as KubernetesObject,
  ...spaces.map((name) => namespace(name)),
];

const versions: Readonly<Record<string, string>> = {
  Ingress: "networking.k8s.io/v1",
  RouteSettings: "sluice.dev/v1alpha1",
  Secret: "v1",
  ConfigMap: "v1",
};

/**
 * Adds the apiVersion, the namespace `ns`, the class, and the time of creation for `age`, of which
 * a larger one is older. `backend: web` of an Ingress and `backendRefs: [web]` of a route become
 * references to port 80, a path of an Ingress is a Prefix, and a route is attached to `ns/gw`. Keys
 * of annotations without a domain are those of ingress-nginx. A Secret has a certificate for the
 * names in `certificate`, and a Secret or ConfigMap with `authority` has a new authority.
 */
function complete(written: Record<string, never>): KubernetesObject {
  const { kind, metadata, spec, certificate, authority, ...rest } = written as never as {
    readonly kind: string;
    readonly certificate?: readonly string[];
    readonly authority?: true;
    readonly metadata: { readonly age?: number; readonly annotations?: Readonly<Record<string, string>> };
    readonly spec?: Record<string, never>;
  };
  const { age = 0, annotations, ...names } = metadata;
  const keys = Object.entries(annotations ?? {}).map(([key, value]) => {
    return [key.includes("/") ? key : `nginx.ingress.kubernetes.io/${key}`, value];
  });
  return {
    apiVersion: versions[kind] ?? "gateway.networking.k8s.io/v1",
    kind,
    metadata: {
      namespace: "ns",
      ...names,
      creationTimestamp: new Date(Date.UTC(2026, 0, 1) - age * 1000).toISOString(),
      ...(annotations === undefined ? {} : { annotations: Object.fromEntries(keys) }),
    },
    ...rest,
    ...dataOf(kind, certificate ?? (authority && ["ca.test"]), authority),
    ...(spec === undefined ? {} : { spec: specOf(kind, spec) }),
  } as unknown as KubernetesObject;
}

/** The data of a Secret with a certificate for these names, or of an object with an authority. */
function dataOf(kind: string, names: readonly string[] | undefined, authority: true | undefined): object {
  if (names === undefined) return {};
  const pair = pairOf(names.join(" "), names);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  if (authority) return { data: { "ca.crt": kind === "Secret" ? base64(pair.certificate) : pair.certificate } };
  return { type: "kubernetes.io/tls", data: { "tls.crt": base64(pair.certificate), "tls.key": base64(pair.key) } };
}

function specOf(kind: string, spec: Record<string, never>): unknown {
  const whole = JSON.parse(JSON.stringify(spec), (key, value) => {
    if ((key === "backend" || key === "defaultBackend") && typeof value === "string")
      return { service: { name: value, port: { number: 80 } } };
    if (key === "backendRefs" || key === "paths")
      return value.map((one: string | object) =>
        key === "paths"
          ? { pathType: "Prefix", ...(one as object) }
          : { port: 80, ...(typeof one === "string" ? { name: one } : one) },
      );
    return value;
  });
  if (kind === "Ingress") return { ingressClassName: "nginx", ...whole };
  if (kind === "Gateway") return { gatewayClassName: "sluice", ...whole };
  if (kind.endsWith("Route")) return { parentRefs: [{ name: "gw", namespace: "ns" }], ...whole };
  return whole;
}

/** Returns the Services that the objects name, in the namespaces of the objects. */
function servicesOf(objects: readonly KubernetesObject[]): readonly string[] {
  const found = objects.flatMap(({ kind, metadata: { namespace: home, annotations }, ...rest }) => {
    if (kind !== "Ingress" && !kind.endsWith("Route")) return [];
    const text = JSON.stringify(rest);
    const names = [...text.matchAll(/"service":\{"name":"([^"]+)"|"port":80,"name":"([^"]+)"/g)];
    const own = annotations?.["nginx.ingress.kubernetes.io/default-backend"];
    return [...names.map(([, one, other]) => one ?? other!), ...(own === undefined ? [] : [own])].map(
      (name) => `${home}/${name}`,
    );
  });
  return [...new Set(found)].filter((key) => !key.endsWith("/missing")).sort();
}
