/**
 * An API server in memory: objects with versions, watches with a history that can be dropped,
 * pages of lists, conflicts, subresources. It does at once what a request asks; `connection.ts` has
 * the network, and the faults.
 */
import { isDeepStrictEqual } from "node:util";
import { type KubernetesObject, keyOf } from "../../../src/core/model/objects.ts";
import * as declared from "../../../src/edges/resources.ts";
import { events as eventResource } from "../../../src/kube/event-recorder.ts";
import { leases, type Resource } from "../../../src/kube/index.ts";
import { isSelected, type Selection } from "./selection.ts";

export type Stored = KubernetesObject & { readonly status?: unknown };

/** A change, as watches see it. `after` is undefined if the object is gone. */
export interface Change {
  readonly version: number;
  readonly kind: string;
  readonly key: string;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
}

/** A write by a program, before it takes effect. */
export interface Write {
  readonly writer: string;
  readonly kind: string;
  readonly key: string;
  readonly subresource: string | undefined;
  readonly object: Stored;
}

export interface Reply {
  readonly code: number;
  readonly body: unknown;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body: string | undefined;
  readonly writer: string;
}

const resources: readonly Resource<KubernetesObject>[] = [
  ...Object.values(declared).filter((one): one is Resource<KubernetesObject> => typeof one === "object"),
  leases,
  eventResource,
];
const byKind = new Map(resources.map((one) => [one.kind, one]));

/** The kinds that come with definitions, by group and version. */
const optional = Map.groupBy(
  resources.filter(({ apiVersion }) => /^(gateway\.networking\.k8s\.io|sluice\.dev)\//.test(apiVersion)),
  ({ apiVersion }) => apiVersion,
);

/** Where a request goes. */
export interface Target {
  readonly of: Resource<KubernetesObject>;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export class ApiServer {
  readonly #objects = new Map<string, Map<string, Stored>>();
  readonly #changed = new Set<(change: Change) => void>();
  readonly #pages = new Map<string, readonly Stored[]>();
  readonly #wall: () => number;
  #history: Change[] = [];
  #version = 1_000;
  /** Versions up to this one are dropped. */
  #forgotten = 1_000;
  #uids = 0;
  #tokens = 0;
  /** Whether the definitions of the Gateway API are there. */
  hasDefinitions = true;
  /** The minor version of Kubernetes: from 33 on it streams lists. */
  minor = 34;
  /** Whether it sends initial events (WatchList). */
  watchesLists = true;
  /** Called before each write of a program. */
  onWrite: (write: Write) => void = () => {};

  constructor(wall: () => number) {
    this.#wall = wall;
  }

  get version(): number {
    return this.#version;
  }

  /** Calls the listener after each change. Returns a function that ends this. */
  onChange(listener: (change: Change) => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  get(kind: string, key: string): Stored | undefined {
    return this.#objects.get(kind)?.get(key);
  }

  all(kind: string): readonly Stored[] {
    return [...(this.#objects.get(kind)?.values() ?? [])];
  }

  /** Writes an object as a user does who replaces what is there. Its status stays. */
  put(object: KubernetesObject): Stored {
    const before = this.get(object.kind, keyOf(object));
    if (!this.serves(resourceOf(object.kind))) return before ?? object;
    return this.#store({ ...(before?.status === undefined ? {} : { status: before.status }), ...object }, before);
  }

  remove(kind: string, key: string): void {
    const before = this.get(kind, key);
    if (before === undefined || !this.serves(resourceOf(kind))) return;
    this.#objects.get(kind)!.delete(key);
    this.#note(kind, key, before, undefined);
  }

  /** Drops the history, so that watches from earlier versions and open pages are lost. */
  compact(): void {
    this.#forgotten = this.#version;
    this.#history = [];
    this.#pages.clear();
  }

  isForgotten(version: number): boolean {
    return version < this.#forgotten;
  }

  /** Returns the changes of a kind after this version. */
  since(version: number, kind: string): readonly Change[] {
    return this.#history.filter((change) => change.version > version && change.kind === kind);
  }

  /** Whether the kind is served at all. */
  serves({ apiVersion }: Resource<KubernetesObject>): boolean {
    return this.hasDefinitions || !optional.has(apiVersion);
  }

  handle({ method, path, query, body, writer }: Request): Reply {
    if (path === "/version") return { code: 200, body: { minor: String(this.minor) } };
    if (/^\/apis\/[^/]+\/[^/]+$/.test(path)) return this.#discovery(path.slice("/apis/".length));
    const target = targetOf(path);
    if (target === undefined || !this.serves(target.of)) return refusal(404, "NotFound", `${path} is not served`);
    if (target.of.kind === "CustomResourceDefinition") return this.#definition(target.name ?? "");
    if (method === "GET") return target.name === undefined ? this.#list(target, query) : this.#read(target);
    return this.#write(method, target, JSON.parse(body ?? "{}") as Stored, writer);
  }

  #discovery(apiVersion: string): Reply {
    const kinds = this.hasDefinitions ? optional.get(apiVersion) : undefined;
    if (kinds === undefined) return refusal(404, "NotFound", `there is no ${apiVersion}`);
    return { code: 200, body: { resources: kinds.map(({ plural, kind }) => ({ name: plural, kind })) } };
  }

  #definition(name: string): Reply {
    if (!this.hasDefinitions) return refusal(404, "NotFound", `${name} is not there`);
    const annotations = { "gateway.networking.k8s.io/bundle-version": "v1.5.0" };
    return { code: 200, body: { metadata: { name, resourceVersion: "1", annotations } } };
  }

  #read({ of, namespace, name }: Target): Reply {
    const found = this.get(of.kind, keyIn(namespace, name!));
    return found === undefined
      ? refusal(404, "NotFound", `${of.plural} "${name}" not found`)
      : { code: 200, body: found };
  }

  #list({ of, namespace }: Target, query: Request["query"]): Reply {
    const token = String(query.continue ?? "");
    const rest = token === "" ? this.selected(of.kind, { ...query, namespace }) : this.#pages.get(token);
    if (rest === undefined) return refusal(410, "Expired", "the continue token is too old");
    const limit = Number(query.limit ?? rest.length);
    const next = rest.length > limit ? `t${++this.#tokens}` : "";
    if (next !== "") this.#pages.set(next, rest.slice(limit));
    return {
      code: 200,
      body: { metadata: { resourceVersion: `${this.#version}`, continue: next }, items: rest.slice(0, limit) },
    };
  }

  /** Returns the objects that a list or watch selects. */
  selected(kind: string, selection: Selection): readonly Stored[] {
    return this.all(kind).filter((object) => isSelected(object, selection));
  }

  #write(method: string, { of, namespace, name, subresource }: Target, body: Stored, writer: string): Reply {
    const { kind } = of;
    const key = keyIn(namespace, name ?? body.metadata?.name);
    const before = this.get(kind, key);
    const write = (object: Stored) => this.onWrite({ writer, kind, key, subresource, object });
    if (method === "POST") {
      if (before !== undefined) return refusal(409, "AlreadyExists", `${of.plural} "${key}" already exists`);
      write(body);
      return { code: 201, body: this.#store(withType(body, of), undefined) };
    }
    if (before === undefined) return refusal(404, "NotFound", `${of.plural} "${key}" not found`);
    if (method === "DELETE") {
      write(before);
      this.remove(kind, key);
      return { code: 200, body: {} };
    }
    const expected = body.metadata?.resourceVersion;
    if (expected !== undefined && expected !== before.metadata.resourceVersion)
      return refusal(409, "Conflict", `${of.plural} "${key}": the object has been modified`);
    const whole = method === "PATCH" ? (merged(before, body) as Stored) : body;
    const { status: _, ...given } = whole;
    const next = subresource === "status" ? { ...before, status: whole.status } : { ...given, status: before.status };
    write(next as Stored);
    return { code: 200, body: this.#store(withType(next as Stored, of), before) };
  }

  #store(object: KubernetesObject, before: Stored | undefined): Stored {
    const { resourceVersion: _, ...given } = object.metadata;
    const generation = (before?.metadata.generation ?? 0) + (sameSpec(object, before) ? 0 : 1);
    const own = {
      uid: before?.metadata.uid ?? `uid-${++this.#uids}`,
      creationTimestamp: before?.metadata.creationTimestamp ?? new Date(this.#wall()).toISOString(),
    };
    const metadata = { ...given, ...own, generation };
    const next = JSON.parse(JSON.stringify({ ...object, metadata })) as Stored;
    if (before !== undefined && isDeepStrictEqual(withoutVersion(before), withoutVersion(next))) return before;
    const key = keyOf(object);
    const stored = { ...next, metadata: { ...next.metadata, resourceVersion: `${this.#version + 1}` } };
    const ofKind = this.#objects.get(object.kind) ?? new Map<string, Stored>();
    this.#objects.set(object.kind, ofKind.set(key, stored));
    this.#note(object.kind, key, before, stored);
    return stored;
  }

  #note(kind: string, key: string, before: Stored | undefined, after: Stored | undefined): void {
    this.#version += 1;
    const change = { version: this.#version, kind, key, before, after };
    this.#history.push(change);
    for (const listener of this.#changed) listener(change);
  }
}

export function refusal(code: number, reason: string, message: string, more: object = {}): Reply {
  return { code, body: { kind: "Status", status: "Failure", reason, message, code, ...more } };
}

/** Reads `/api/v1/namespaces/NAMESPACE/services/NAME/status` and the like. */
export function targetOf(path: string): Target | undefined {
  const [, root, ...rest] = path.split("/").map(decodeURIComponent);
  const apiVersion = root === "api" ? rest.shift() : `${rest.shift()}/${rest.shift()}`;
  const namespace = rest[0] === "namespaces" && rest.length > 2 ? rest[1] : undefined;
  const [plural, name, subresource] = namespace === undefined ? rest : rest.slice(2);
  const of = resources.find((one) => one.apiVersion === apiVersion && one.plural === plural);
  return of && ({ of, namespace, name, subresource } as Target);
}

export const resourceOf = (kind: string): Resource<KubernetesObject> => byKind.get(kind)!;

const keyIn = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

const withType = (object: Stored, { apiVersion, kind }: Resource<KubernetesObject>): Stored => ({
  ...object,
  apiVersion,
  kind,
});

function sameSpec(object: KubernetesObject, before: Stored | undefined): boolean {
  const specOf = ({ metadata: _, status: __, ...rest }: Stored) => JSON.parse(JSON.stringify(rest)) as unknown;
  return before !== undefined && isDeepStrictEqual(specOf(object), specOf(before));
}

const withoutVersion = ({ metadata: { resourceVersion: _, generation: __, ...metadata }, ...rest }: Stored) => ({
  ...rest,
  metadata,
});

/** Merges a patch (RFC 7386). */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
