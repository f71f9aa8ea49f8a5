/**
 * A cache of one kind of object, kept by a Reflector, with listeners for its changes. The cache may
 * be newer than the change in a call of a listener. So listeners read the newest state from
 * `store`, and use a change only as a reason to look.
 */

import { systemClock } from "../base/timing/clock.ts";
import { type Answer, succeeded } from "./answer.ts";
import type { ListWatcher } from "./client.ts";
import { takeIn } from "./intake.ts";
import { type KubernetesObject, keyOf, nameOf, versionOf } from "./object.ts";
import { Reflector, type ReflectorOptions, type ReflectorSink } from "./reflector.ts";
import type { Resource } from "./resource.ts";

export type Change<T> =
  | { readonly kind: "added"; readonly object: T }
  | { readonly kind: "updated"; readonly object: T; readonly before: T }
  | { readonly kind: "deleted"; readonly object: T };

export type Listener<T> = (change: Change<T>) => void;

export type InformerOptions<T> = Partial<ReflectorOptions<T>>;

/** The objects in the cache by key: `namespace/name`, or the bare name. */
export type Lister<T> = Pick<ReadonlyMap<string, T>, "get" | "size" | "values">;

export class SharedInformer<T extends KubernetesObject> implements ReflectorSink<T> {
  readonly resource: Resource<T>;
  readonly #client: ListWatcher;
  readonly #options: InformerOptions<T>;
  readonly #store = new Map<string, T>();
  readonly #listeners = new Set<Listener<T>>();
  readonly #reflector: Reflector<T>;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;

  constructor(client: ListWatcher, resource: Resource<T>, options: InformerOptions<T> = {}) {
    this.resource = resource;
    this.#client = client;
    this.#options = options;
    this.#reflector = new Reflector(client, resource, this, { clock: systemClock, random: Math.random, ...options });
  }

  get store(): Lister<T> {
    return this.#store;
  }

  /** Whether the cache has been complete once. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /**
   * Resolves when `hasSynced` becomes true, and so not while the server cannot be reached or
   * refuses.
   */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /**
   * Runs until the signal aborts; the cache stays readable afterwards. It rejects only with an
   * error that a listener or transform threw.
   */
  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  /**
   * Reports that another request has just reached the server, so that a wait for the server ends
   * early.
   */
  tryNow(): void {
    this.#reflector.tryNow();
  }

  /**
   * Calls the listener with every object in the cache as `added`, then with each change in order.
   * Returns a function that ends this.
   */
  subscribe(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    for (const object of this.#store.values()) listener({ kind: "added", object });
    return () => this.#listeners.delete(listener);
  }

  /**
   * Reads one object again, for a transform that would now keep more of it than when the object
   * arrived. It lists by name, so the right to `list` is enough. It changes nothing if the cache
   * does not have the object yet, or has a newer version.
   */
  async refetch(key: string, signal: AbortSignal): Promise<Answer<undefined>> {
    const { namespace, name } = nameOf(key);
    const answer = await this.#client.list(
      this.resource,
      { namespace, fieldSelector: `metadata.name=${name}`, limit: 1 },
      signal,
    );
    if (!answer.ok) return answer;
    const [found] = answer.value.items;
    const known = this.#store.get(key);
    const newer = found && known && versionOf(found) >= versionOf(known) && sameUid(found, known);
    if (newer) this.#put(takeIn(this.resource, found, this.#options.transform), known);
    return succeeded(undefined);
  }

  replaced(objects: readonly T[]): void {
    const present = new Set(objects.map(keyOf));
    for (const object of objects) this.applied(object);
    for (const object of [...this.#store.values()]) if (!present.has(keyOf(object))) this.removed(object);
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  applied(object: T): void {
    const before = this.#store.get(keyOf(object));
    const known = before?.metadata.resourceVersion === object.metadata.resourceVersion;
    if (!known) this.#put(object, before);
  }

  removed(object: T): void {
    if (this.#store.delete(keyOf(object))) this.#notify({ kind: "deleted", object });
  }

  #put(object: T, before: T | undefined): void {
    this.#store.set(keyOf(object), object);
    this.#notify(before === undefined ? { kind: "added", object } : { kind: "updated", object, before });
  }

  #notify(change: Change<T>): void {
    for (const listener of this.#listeners) listener(change);
  }
}

const sameUid = (one: KubernetesObject, other: KubernetesObject) => one.metadata.uid === other.metadata.uid;
