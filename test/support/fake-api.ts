/**
 * An API server in memory with the two verbs that a cache needs: list, and watch, which sends the
 * changes of the test. It supports only the selectors that the cluster's watches use.
 */

import { type KubernetesObject, keyOf } from "../../src/core/model/objects.ts";
import { type Answer, failed, failureFromStatus, ownFailure, succeeded } from "../../src/kube/answer.ts";
import type { Discoverer, ListWatcher } from "../../src/kube/client.ts";
import type { Resource } from "../../src/kube/index.ts";
import type { List, ListOptions, ServedKind, WatchEvent, WatchOptions } from "../../src/kube/requests.ts";

type Selection = Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector">;

interface Watcher {
  readonly kind: string;
  readonly selection: Selection;
  readonly send: (event: WatchEvent<KubernetesObject>) => void;
  readonly end: () => void;
}

export class FakeApi implements ListWatcher, Discoverer {
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #watchers = new Set<Watcher>();
  #version = 0;
  /** Kinds that are refused with this status. */
  readonly refused = new Map<string, number>();
  /** The lists that were requested, as `Kind` or `Kind namespace field-selector`. */
  readonly asked: string[] = [];
  /** Lists of single objects wait for this promise. */
  gate: Promise<void> = Promise.resolve();

  put(...objects: readonly KubernetesObject[]): void {
    for (const object of objects) {
      this.#version += 1;
      const stored = {
        ...object,
        metadata: { uid: keyOf(object), ...object.metadata, resourceVersion: `${this.#version}` },
      };
      const key = `${object.kind} ${keyOf(object)}`;
      const before = this.#objects.get(key);
      this.#objects.set(key, stored);
      this.#notify(before, stored);
    }
  }

  remove(...objects: readonly KubernetesObject[]): void {
    for (const object of objects) {
      const key = `${object.kind} ${keyOf(object)}`;
      const before = this.#objects.get(key);
      this.#objects.delete(key);
      this.#version += 1;
      if (before)
        this.#notify({ ...before, metadata: { ...before.metadata, resourceVersion: `${this.#version}` } }, undefined);
    }
  }

  /**
   * The kinds of a group and version, for discovery: `gateway.networking.k8s.io/v1` to plurals and
   * kinds.
   */
  readonly kinds = new Map<string, readonly ServedKind[]>();

  async kindsOf(apiVersion: string): Promise<Answer<readonly ServedKind[]>> {
    return succeeded(this.kinds.get(apiVersion) ?? []);
  }

  async get<T extends KubernetesObject>(of: Resource<T>, { name }: { readonly name: string }): Promise<Answer<T>> {
    const code = this.refused.get(of.kind) ?? 404;
    const found = code === 404 ? this.#objects.get(`${of.kind} ${name}`) : undefined;
    if (found === undefined) return failed(failureFromStatus(code, { message: `${of.plural} is refused`, code }));
    return succeeded(structuredClone(found) as unknown as T);
  }

  async streamsLists(): Promise<boolean> {
    return false;
  }

  listWhole(): Promise<Answer<string>> {
    throw new Error("this server does not stream lists");
  }

  async list<T extends KubernetesObject>(of: Resource<T>, options: ListOptions): Promise<Answer<List<T>>> {
    const { namespace, fieldSelector } = options;
    const single = fieldSelector?.startsWith("metadata.name=") ?? false;
    this.asked.push(single ? `${of.kind} ${namespace} ${fieldSelector}` : of.kind);
    if (single) await this.gate;
    const code = this.refused.get(of.kind);
    if (code !== undefined) return failed(failureFromStatus(code, { message: `${of.plural} is refused`, code }));
    const items = [...this.#objects.values()].filter(
      (object) => object.kind === of.kind && isSelected(object, options),
    );
    const copies = structuredClone(items) as unknown as readonly T[];
    return succeeded({ items: copies, resourceVersion: `${this.#version}`, continue: "" });
  }

  watch<T extends KubernetesObject>(
    of: Resource<T>,
    options: WatchOptions,
    onEvent: (event: WatchEvent<T>) => void,
    signal: AbortSignal,
  ) {
    const code = this.refused.get(of.kind) ?? (options.sendInitialEvents ? 422 : undefined);
    if (code !== undefined)
      return Promise.resolve(failureFromStatus(code, { message: `${of.plural} is refused`, code }));
    return new Promise<ReturnType<typeof ownFailure>>((resolve) => {
      const end = () => {
        this.#watchers.delete(watcher);
        resolve(ownFailure("aborted", "stopped"));
      };
      const send = (event: WatchEvent<KubernetesObject>) => onEvent(structuredClone(event) as unknown as WatchEvent<T>);
      const watcher = { kind: of.kind, selection: options, send, end };
      this.#watchers.add(watcher);
      signal.addEventListener("abort", end, { once: true });
    });
  }

  #notify(before: KubernetesObject | undefined, after: KubernetesObject | undefined): void {
    for (const { kind, selection, send } of this.#watchers) {
      if (kind !== (before ?? after)?.kind) continue;
      const was = before !== undefined && isSelected(before, selection);
      const is = after !== undefined && isSelected(after, selection);
      if (is) send({ type: was ? "MODIFIED" : "ADDED", object: after });
      else if (was) send({ type: "DELETED", object: before });
    }
  }
}

function isSelected(object: KubernetesObject, { namespace, labelSelector, fieldSelector }: Selection): boolean {
  const { metadata } = object;
  const field = (name: string) => (name === "type" ? (object as { readonly type?: string }).type : metadata.name) ?? "";
  const inNamespace = namespace === undefined || metadata.namespace === namespace;
  return (
    inNamespace &&
    satisfies(labelSelector, (label) => metadata.labels?.[label] ?? "") &&
    satisfies(fieldSelector, field)
  );
}

/**
 * Returns whether an object satisfies the selector: requirements `a=b` and `a!=b`, joined by
 * commas.
 */
function satisfies(selector: string | undefined, read: (name: string) => string): boolean {
  return (selector?.split(",") ?? []).every((requirement) => {
    const [, name = "", not, value] = /^([^!=]+)(!?)=(.*)$/.exec(requirement) ?? [];
    return (read(name) === value) === (not === "");
  });
}
