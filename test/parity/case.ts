/**
 * A case of the corpus: objects, requests, and ingress-nginx's answers.
 * docs/ingress-nginx/corpus.md explains each field. The defaults here (namespace, apiVersion,
 * class) are those of the recording; with others the recorded answers would not apply.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { parse } from "yaml";
import type { KubernetesObject, ObjectMeta } from "../../src/core/model/objects.ts";
import type { Answer } from "./answer.ts";
import type { RequestSpec } from "./request-spec.ts";

export interface Case {
  /**
   * The name without the feature's folder: `routing/canary-false` for
   * `routing/canary/canary-false.yaml`.
   */
  readonly name: string;
  readonly title: string;
  /** Annotations and ConfigMap keys without prefix, flags with their dashes, rules `RS-n.m`. */
  readonly covers: readonly string[];
  /** The case's own namespace; the file writes it as `$NS`. */
  readonly namespace: string;
  readonly configMap: Settings;
  readonly flags: readonly string[];
  /**
   * Seconds between the creation timestamps of one Ingress and the next. The test does not wait for
   * them.
   */
  readonly pause: number;
  /** Names of fields, at any depth of an answer, that may differ. */
  readonly ignore: readonly string[];
  /** Ingresses come last, in the order of the file. */
  readonly objects: readonly KubernetesObject[];
  readonly requests: readonly RequestStep[];
}
export type Settings = Readonly<Record<string, string>>;

/** A request with the changes before it. */
export interface RequestStep extends RequestSpec {
  readonly configMap?: Settings;
  readonly apply?: readonly KubernetesObject[];
  /** Seconds. */
  readonly wait?: number;
}

export interface Expectation {
  readonly requests: readonly Answer[];
  /** One line for each object that the API server refused. */
  readonly rejectedByApiServer?: readonly string[];
}

/** An object as a case writes it: `apiVersion` and the namespace may be missing. */
interface DraftObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: object;
}

/** A case as its file has it. */
interface CaseFile extends Partial<Omit<Case, "objects" | "requests" | "name" | "namespace">> {
  readonly title: string;
  readonly covers: readonly string[];
  /** If true, Ingresses without a class do not get the class `nginx`. */
  readonly noClass?: boolean;
  readonly objects?: readonly DraftObject[];
  readonly requests: readonly (RequestSpec & StepFile)[];
}

interface StepFile {
  readonly configMap?: Readonly<Record<string, unknown>>;
  readonly apply?: readonly DraftObject[];
}

const corpus = join(import.meta.dirname, "corpus");
const clusterScoped = ["IngressClass", "Namespace"];
const apiVersions: Readonly<Record<string, string>> = {
  Ingress: "networking.k8s.io/v1",
  IngressClass: "networking.k8s.io/v1",
  EndpointSlice: "discovery.k8s.io/v1",
};

/**
 * The files of all cases, by the names of the cases. Below a section each feature has a folder for
 * the sake of readers. The folder is not part of the name, because the namespace is made of the
 * name, and the answers were recorded with that namespace.
 */
const files: ReadonlyMap<string, string> = new Map(
  readdirSync(corpus, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .map((file) => [file.replace(/^([^/]+)\/[^/]+\//, "$1/"), join(corpus, file)]),
);

/**
 * Returns the names of all cases that one of the comma-separated patterns matches, such as
 * `routing/canary*`; all names without a pattern.
 */
export function caseNames(patterns = "**"): readonly string[] {
  return [...files.keys()].filter((name) => patterns.split(",").some((pattern) => matchesGlob(name, pattern))).sort();
}

export function loadCase(name: string): Case {
  return readCase(name, readFileSync(`${files.get(name)}.yaml`, "utf8"));
}

/** Throws when the text is not YAML. Unknown fields are not checked. */
export function readCase(name: string, text: string): Case {
  const namespace = `c-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
  const file: CaseFile = parse(text.replaceAll("$NS", namespace));
  const complete = (object: DraftObject): KubernetesObject => withDefaults(object, namespace);
  const classed = (object: DraftObject): DraftObject => (file.noClass ? object : withClass(object));
  return {
    name,
    namespace,
    title: file.title,
    covers: file.covers,
    configMap: asText(file.configMap),
    flags: file.flags ?? [],
    pause: file.pause ?? 0,
    ignore: file.ignore ?? [],
    objects: ingressesLast((file.objects ?? []).map(classed).map(complete)),
    requests: file.requests.map(({ configMap, apply, ...request }) => ({
      ...request,
      ...(configMap ? { configMap: asText(configMap) } : {}),
      ...(apply ? { apply: apply.map(complete) } : {}),
    })),
  };
}

/**
 * Reads ingress-nginx's answers. With `differs` it reads Sluice's own answers, which differ by a
 * decision in `docs/differences.md`, perhaps for one mode only (`NAME.differs.dynamic.json`).
 */
export function loadExpectation({ name, namespace }: Case, differs: boolean, mode: "dynamic" | "static"): Expectation {
  const decided = differs ? [differsFile(name, mode), differsFile(name)] : [];
  const file = [...decided, `${files.get(name)}.expect.json`].find((one) => existsSync(one));
  return JSON.parse(readFileSync(file!, "utf8").replaceAll("$NS", namespace));
}

/** Returns whether an answer that differs by decision exists beside the recorded one. */
export function hasDifference(name: string): boolean {
  const all = [differsFile(name), differsFile(name, "dynamic"), differsFile(name, "static")];
  return all.some((file) => existsSync(file));
}

function differsFile(name: string, mode?: "dynamic" | "static"): string {
  const file = files.get(name);
  return mode === undefined ? `${file}.differs.json` : `${file}.differs.${mode}.json`;
}

function withDefaults(object: DraftObject, namespace: string): KubernetesObject {
  const metadata = clusterScoped.includes(object.kind) ? object.metadata : { namespace, ...object.metadata };
  return { ...object, apiVersion: object.apiVersion ?? apiVersions[object.kind] ?? "v1", metadata };
}

function withClass(object: DraftObject): DraftObject {
  if (object.kind !== "Ingress" || "kubernetes.io/ingress.class" in (object.metadata.annotations ?? {})) return object;
  return { ...object, spec: { ingressClassName: "nginx", ...object.spec } };
}

function ingressesLast(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return objects.toSorted((a, b) => Number(a.kind === "Ingress") - Number(b.kind === "Ingress"));
}

/** ConfigMap values are strings, whatever YAML made of them. */
function asText(settings: Readonly<Record<string, unknown>> = {}): Settings {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, String(value)]));
}
