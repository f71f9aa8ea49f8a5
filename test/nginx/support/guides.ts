/**
 * Prepares the YAML of docs/guides for a controller in a test: each Service that a guide only names
 * gets an address, and the names of auth services are replaced by addresses, because no cluster
 * resolves them.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { execa } from "execa";
import { expect } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { backedService } from "../../support/sketch.ts";
import { installedNginx } from "./installed.ts";

const root = join(import.meta.dirname, "../../..");
export const { modsecurity } = await installedNginx();
export const prefix = "nginx.ingress.kubernetes.io/";

interface GuideObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string>;
  };
  readonly data?: Record<string, string>;
  readonly spec?: {
    readonly tls?: readonly { readonly secretName?: string }[];
    readonly rules?: readonly {
      readonly http: { readonly paths: readonly { readonly backend: { readonly service: BackendService } }[] };
    }[];
  };
}
interface BackendService {
  readonly name: string;
  readonly port: { readonly number: number };
}

export const blocks = globSync("docs/guides/*.md", { cwd: root })
  .toSorted()
  .flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml]) => ({
      guide: basename(page, ".md"),
      yaml: yaml!,
    })),
  );
export const fragments = blocks.filter(({ yaml }) => !/^kind:/m.test(yaml)).map(({ yaml }) => parse(yaml));
const all = blocks
  .filter(({ yaml }) => /^kind:/m.test(yaml))
  .flatMap(({ yaml }) => parseAllDocuments(yaml).map((document) => document.toJS() as GuideObject));

/**
 * Returns whether the object is the controller's ConfigMap. Each guide has one with only its own
 * keys.
 */
const isSettings = ({ kind, metadata }: GuideObject) =>
  kind === "ConfigMap" && metadata.name === "ingress-nginx-controller";
const settings = all.filter(isSettings).map(({ data = {} }) => data);
export const withProxyProtocol = settings.find((data) => "use-proxy-protocol" in data)!;
export const together = Object.assign({}, ...settings.filter((data) => data !== withProxyProtocol)) as Record<
  string,
  string
>;

const kinds = ["Ingress", "ConfigMap"];
export const objects = all.filter((one) => kinds.includes(one.kind) && !isSettings(one)).filter(isPossible);

function isPossible({ metadata }: GuideObject): boolean {
  return modsecurity || metadata.name !== "forum";
}

/** Each Service has an address of its own, so that an answer shows which Service gave it. */
export const services = [
  ...new Map(
    objects.flatMap(({ metadata, spec }) =>
      (spec?.rules ?? []).flatMap(({ http }) =>
        http.paths.map(({ backend: { service } }) => [`${metadata.namespace}/${service.name}`, service] as const),
      ),
    ),
  ),
];
export const addressOf = (name: string) => `192.0.2.${120 + services.findIndex(([key]) => key.endsWith(`/${name}`))}`;
export const authAddress = "192.0.2.119";
export const streamAddress = "192.0.2.118";
/** Target ports of the Services whose backends are not HTTP echo backends, by name. */
export const ports: Readonly<Record<string, number>> = { quotes: 50051, talk: 8081 };

/** Replaces the name of an auth service by the address of a server that knows one session. */
function answered(annotations: Record<string, string>): Record<string, string> {
  const key = `${prefix}auth-url`;
  const url = annotations[key];
  if (url === undefined) return annotations;
  const steer =
    "echo-need-cookie=session&echo-header=X-Auth-Request-User:ann&echo-header=Remote-User:ann&echo-record=asked";
  expect(url).toMatch(/^http:\/\/[\w-]+\.\w+\.svc\.cluster\.local(:\d+)?\/\S+$/);
  return { ...annotations, [key]: `http://${authAddress}:8080${new URL(url).pathname}?${steer}` };
}

export function applied(object: GuideObject): KubernetesObject {
  const { annotations } = object.metadata;
  const metadata =
    annotations === undefined ? object.metadata : { ...object.metadata, annotations: answered(annotations) };
  return { ...object, metadata } as KubernetesObject;
}

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

export async function certificateFor(folder: string, commonName: string, names: readonly string[]): Promise<Pair> {
  const [keyFile, file] = [join(folder, `${commonName}.key`), join(folder, `${commonName}.crt`)];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"];
  const subject = [
    "-subj",
    `/CN=${commonName}`,
    "-addext",
    `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`,
  ];
  await execa("openssl", ["req", ...kind, "-keyout", keyFile, "-out", file, ...subject]);
  return { certificate: readFileSync(file, "utf8"), key: readFileSync(keyFile, "utf8") };
}

export function secret(namespace: string, name: string, { certificate, key }: Pair): KubernetesObject {
  const encoded = (value: string) => Buffer.from(value).toString("base64");
  const data = { "tls.crt": encoded(certificate), "tls.key": encoded(key) };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name },
    type: "kubernetes.io/tls",
    data,
  } as KubernetesObject;
}

export function streamService(name: string, port: number, protocol: "TCP" | "UDP"): readonly KubernetesObject[] {
  const [service, slice] = backedService({ name, namespace: "data", addresses: [streamAddress], port: port + 10_000 });
  const spec = { ports: [{ port, targetPort: port + 10_000, protocol }] };
  return [
    { ...service!, spec } as KubernetesObject,
    { ...slice!, ports: [{ port: port + 10_000, protocol }] } as KubernetesObject,
  ];
}
