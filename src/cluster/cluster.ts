/**
 * The Snapshot kept from the informers of a cluster. Secrets and ConfigMaps are listed last: only when every Ingress is known is it known which
 * of them are spoken of, and of the others no data is taken into memory.
 * Changes are gathered for one turn of the event loop, so a list of ten thousand is one change.
 */
import { bugWords, guarded } from "../guarded.ts";
import {
  type ApiFailure,
  isDenied,
  type ListWatcher,
  perKey,
  type QueueEvent,
  type ReflectorEvent,
  runWorkers,
  SharedInformer,
  WorkQueue,
} from "../kubernetes/index.ts";
import { type Ingress, type KubernetesObject, keyOf } from "../model/objects.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { endpointSlices, endpoints } from "../resources.ts";
import type { Source } from "../sync/ports.ts";
import { type Clock, sleep } from "../timing/clock.ts";
import { Assembler, type AssemblerOptions, type Stores } from "./assembler.ts";
import { kept, nameOnly } from "./kept.ts";
import { type Watch, watchesOf } from "./watches.ts";

export interface ClusterOptions extends AssemblerOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (watch: Watch, event: ReflectorEvent) => void;
  /** What happens to the queue of objects that are read by themselves. */
  readonly queued?: (event: QueueEvent) => void;
}

export interface Cluster extends Source {
  /** Resolves when everything is in; never, while something that is needed cannot be had. */
  readonly synced: Promise<void>;
  /** Resolves after the signal has aborted; rejects with a bug. */
  readonly ended: Promise<void>;
  /** The newest form of an Ingress, with its status, which the Snapshot leaves behind. */
  ingress(key: string): Ingress | undefined;
  /** Calls `look` whenever this Secret changes, whoever speaks of it; never, where its namespace is not watched. One listener for each Secret. */
  onSecret(key: string, look: () => void): void;
}

interface Watched {
  readonly watch: Watch;
  readonly informer: SharedInformer<KubernetesObject>;
  /** It cannot be had, and things go on without it. */
  given: boolean;
  /** The server could not be reached for it, and has not been since. */
  away: boolean;
}

/** How many objects are read by themselves at a time. */
const loaders = 10;

/** How long after a refusal it is asked once more. */
const certaintyMs = 2_000;

export function openCluster(client: ListWatcher, options: ClusterOptions, signal: AbortSignal): Cluster {
  return new InformedCluster(client, options, signal);
}

class InformedCluster implements Cluster {
  readonly #client: ListWatcher;
  readonly #options: ClusterOptions;
  readonly #signal: AbortSignal;
  readonly #watched: Watched[] = [];
  readonly #assembler: Assembler;
  /** Objects whose only remains in memory are their names. */
  readonly #bare = new WeakSet<KubernetesObject>();
  /** Objects whose content Sluice failed on, and why. */
  readonly #failures = new WeakMap<KubernetesObject, string>();
  readonly #queue: WorkQueue;
  readonly #listeners = new Set<() => void>();
  readonly #ofSecrets = new Map<string, () => void>();
  readonly #synced = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #running = new Set<Promise<void>>();
  #later: readonly Watch[];
  #isSynced = false;
  #isWoken = false;

  constructor(client: ListWatcher, options: ClusterOptions, signal: AbortSignal) {
    this.#client = client;
    this.#options = options;
    this.#signal = signal;
    this.#assembler = new Assembler(options, this.#stores());
    const limiter = perKey({ floorMs: 500, ceilingMs: 30_000 });
    this.#queue = new WorkQueue(options.clock, { limiter, report: options.queued });
    const isLater = ({ of }: Watch) => of.kind === "Secret" || of.kind === "ConfigMap";
    const watches = watchesOf(options);
    this.#later = watches.filter(isLater);
    for (const watch of watches.filter((watch) => !isLater(watch))) this.#start(watch);
    this.#run(runWorkers(this.#queue, (reference) => this.#load(reference), signal, { workers: loaders }));
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  snapshot(): Snapshot {
    return this.#assembler.snapshot;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  ingress(key: string): Ingress | undefined {
    return this.#get("Ingress", key) as Ingress | undefined;
  }

  onSecret(key: string, look: () => void): void {
    this.#ofSecrets.set(key, look);
  }

  #run(part: Promise<void>): void {
    this.#running.add(part);
    part.then(
      () => {
        this.#running.delete(part);
        if (this.#running.size === 0) this.#ended.resolve();
      },
      (bug) => this.#ended.reject(bug),
    );
  }

  #start(watch: Watch): void {
    const { of, namespace, labelSelector, fieldSelector } = watch;
    const { clock, random, watchNamespaceSelector } = this.#options;
    const byNamespace = { namespace: ({ metadata }: KubernetesObject) => [metadata.namespace ?? ""] };
    const informer = new SharedInformer<KubernetesObject>(this.#client, of, {
      namespace,
      labelSelector,
      fieldSelector,
      clock,
      random,
      transform: (object) => this.#takeIn(object),
      report: (event) => this.#hear(watched, event),
      ...(watchNamespaceSelector === undefined ? {} : { indices: byNamespace }),
    });
    const watched: Watched = { watch, informer, given: false, away: false };
    this.#watched.push(watched);
    informer.subscribe(({ object }) => {
      this.#assembler.notice(of.kind, keyOf(object));
      if (of.kind === "Secret") this.#ofSecrets.get(keyOf(object))?.();
      this.#wake();
    });
    this.#run(informer.run(this.#signal));
  }

  #takeIn(object: KubernetesObject): KubernetesObject {
    const held = object.kind === "Secret" || object.kind === "ConfigMap";
    if (!held || this.#assembler.isReferenced(`${object.kind} ${keyOf(object)}`))
      return guarded(
        () => kept(object),
        (bug) => this.#failedOn(object, bug),
      );
    const bare = nameOnly(object);
    this.#bare.add(bare);
    return bare;
  }

  #failedOn(object: KubernetesObject, bug: Error): KubernetesObject {
    const bare = nameOnly(object);
    this.#failures.set(bare, bugWords(bug));
    return bare;
  }

  #hear(watched: Watched, event: ReflectorEvent): void {
    const { watch } = watched;
    this.#options.report(watch, event);
    if (event.kind === "failed") watched.away = !event.denied;
    else if (watched.away) this.#beBack(watched);
    if (event.kind === "failed" && event.denied) this.#beDenied(watched, event.failure);
    if (event.kind === "listed" && watch.of.kind === "IngressClass") this.#assembler.seesClasses(true);
    this.#wake();
  }

  /** Each watch waits by itself for a server that is away; the first that gets through spares the others the rest of their wait. */
  #beBack(watched: Watched): void {
    watched.away = false;
    for (const { informer } of this.#watched) informer.tryNow();
  }

  #beDenied(watched: Watched, failure: ApiFailure): void {
    const { watch, informer } = watched;
    if (informer.hasSynced || watched.given) return;
    if (failure.code === 404 && watch.of.kind === endpointSlices.kind) {
      watched.given = true;
      this.#start({ ...watch, of: endpoints });
    } else if (watch.without !== undefined) this.#run(this.#goWithout(watched));
  }

  /** An API server that has just started refuses for a moment what it allows: only a second refusal counts. */
  async #goWithout(watched: Watched): Promise<void> {
    const { of, namespace } = watched.watch;
    await sleep(this.#options.clock, certaintyMs, this.#signal);
    const answer = await this.#client.list(of, { namespace, limit: 1 }, this.#signal);
    if (answer.ok || !isDenied(answer.failure) || watched.informer.hasSynced) return;
    watched.given = true;
    if (of.kind === "IngressClass") this.#assembler.seesClasses(false);
    this.#wake();
  }

  #wake(): void {
    if (this.#isWoken || this.#signal.aborted) return;
    this.#isWoken = true;
    setImmediate(() => {
      this.#isWoken = false;
      this.#turn();
    });
  }

  #turn(): void {
    const isIn = this.#watched.every(({ informer, given }) => informer.hasSynced || given);
    this.#assembler.follow();
    if (isIn) {
      for (const watch of this.#later) this.#start(watch);
      if (this.#later.length > 0) this.#later = [];
      else if (this.#isSynced || !this.#assembler.isLoading) this.#announce();
    }
  }

  #announce(): void {
    const changed = this.#assembler.assemble();
    this.#isSynced = true;
    this.#synced.resolve();
    if (changed) for (const listener of this.#listeners) listener();
  }

  async #load(
    reference: string,
  ): Promise<{ readonly kind: "done" } | { readonly kind: "retry"; readonly why: string }> {
    const [kind = "", key = ""] = reference.split(" ");
    const informers = this.#informersOf(kind).filter(({ store }) => store.get(key) !== undefined);
    for (const informer of informers) {
      const answer = await informer.refetch(key, this.#signal);
      if (!answer.ok && !isDenied(answer.failure)) return { kind: "retry", why: answer.failure.message };
    }
    this.#assembler.loaded(reference);
    this.#wake();
    return { kind: "done" };
  }

  #informersOf(kind: string): readonly SharedInformer<KubernetesObject>[] {
    return this.#watched.filter(({ watch }) => watch.of.kind === kind).map(({ informer }) => informer);
  }

  #get(kind: string, key: string): KubernetesObject | undefined {
    return this.#informersOf(kind)
      .map(({ store }) => store.get(key))
      .find((object) => object !== undefined);
  }

  #stores(): Stores {
    return {
      get: (kind, key) => this.#get(kind, key),
      isNameOnly: (object) => this.#bare.has(object),
      failureOf: (object) => this.#failures.get(object),
      inNamespace: (namespace) => this.#inNamespace(namespace),
      load: (reference) => this.#queue.add(reference),
    };
  }

  *#inNamespace(namespace: string): Iterable<string> {
    for (const { watch, informer } of this.#watched) {
      if (!watch.of.namespaced) continue;
      for (const object of informer.store.byIndex("namespace", namespace)) yield `${object.kind} ${keyOf(object)}`;
    }
  }
}
