/**
 * Keeps the Snapshot of a cluster from its informers. Secrets and ConfigMaps are listed last: only
 * when every Ingress is known is it clear which of them are referred to, and the data of all others
 * stays out of memory. Changes are gathered for one turn of the event loop, so a list of ten
 * thousand objects is one change.
 */
import { soon } from "../../base/callbacks.ts";
import { type Clock, sleep } from "../../base/timing/clock.ts";
import { type Ingress, type KubernetesObject, keyOf } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { Source } from "../../core/sync/ports.ts";
import {
  type ApiFailure,
  type Discoverer,
  isDenied,
  type ListWatcher,
  perKey,
  type QueueEvent,
  type ReflectorEvent,
  runWorkers,
  SharedInformer,
  WorkQueue,
} from "../../kube/index.ts";
import { endpointSlices, endpoints } from "../resources.ts";
import { Assembler, type AssemblerOptions, type Stores } from "./assembler.ts";
import { GatewayKinds, type ServedKinds } from "./gateway-kinds.ts";
import { OptionalWatches } from "./optional-watches.ts";
import { TakenIn } from "./taken-in.ts";
import type { Watched } from "./watched.ts";
import { type Watch, watchesOf } from "./watches.ts";

/** Options for keeping the Snapshot of a cluster. */
type ClusterClient = ListWatcher & Discoverer;

export interface ClusterOptions extends AssemblerOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (watch: Watch, event: ReflectorEvent) => void;
  /** Called for events of the queue of objects that are fetched one by one. */
  readonly queued?: (event: QueueEvent) => void;
  /**
   * Called with the kinds of the Gateway API that the cluster has, at the start and after each
   * change.
   */
  readonly kindsFound?: (kinds: ServedKinds) => void;
  /**
   * Called with kinds that the API server has but refuses to list. They are tried again at growing
   * intervals.
   */
  readonly kindsRefused?: (watches: readonly Watch[]) => void;
}

export interface Cluster extends Source {
  /** Resolves when all lists are complete, and not before all required kinds can be listed. */
  readonly synced: Promise<void>;
  /** Resolves after the signal has aborted; rejects with a bug. */
  readonly ended: Promise<void>;
  /** Returns the newest form of an Ingress with its status, which the Snapshot leaves out. */
  ingress(key: string): Ingress | undefined;
  /** Returns the newest form of any object with its status. */
  object(kind: string, key: string): KubernetesObject | undefined;
  /** Calls `look` whenever an object of an optional kind has changed, including its status. */
  onOptional(look: (kind: string, key: string) => void): void;
  /** Calls `look` whenever this Secret changes, even if no object refers to it; one for each. */
  onSecret(key: string, look: () => void): void;
}

/** The most objects that are fetched one by one at a time. */
const loaders = 10;

/** The time between a refusal and the next attempt. */
const certaintyMs = 2_000;

export function openCluster(client: ClusterClient, options: ClusterOptions, signal: AbortSignal): Cluster {
  return new InformedCluster(client, options, signal);
}

class InformedCluster implements Cluster {
  readonly #client: ClusterClient;
  readonly #options: ClusterOptions;
  readonly #signal: AbortSignal;
  readonly #watched = new Set<Watched>();
  readonly #optional: OptionalWatches;
  readonly #kinds: GatewayKinds;
  readonly #assembler: Assembler;
  readonly #takenIn = new TakenIn((reference) => this.#assembler.isReferenced(reference));
  readonly #queue: WorkQueue;
  readonly #listeners = new Set<() => void>();
  readonly #ofSecrets = new Map<string, () => void>();
  readonly #ofOptional = new Set<(kind: string, key: string) => void>();
  readonly #synced = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #running = new Set<Promise<void>>();
  #later: readonly Watch[];
  #isSynced = false;
  #isWoken = false;

  constructor(client: ClusterClient, options: ClusterOptions, signal: AbortSignal) {
    this.#client = client;
    this.#options = options;
    this.#signal = signal;
    this.#assembler = new Assembler(options, this.#stores());
    const limiter = perKey({ floorMs: 500, ceilingMs: 30_000 });
    this.#queue = new WorkQueue(options.clock, { limiter, report: options.queued });
    const isLater = ({ of }: Watch) => of.kind === "Secret" || of.kind === "ConfigMap";
    const watches = watchesOf(options);
    this.#later = watches.filter(isLater);
    this.#optional = new OptionalWatches({
      options,
      start: (watch) => this.#start(watch, true),
      drop: (watched) => this.#drop(watched),
      release: (watched) => this.#noticeAllOf(watched),
      refused: (watches) => options.kindsRefused?.(watches),
    });
    this.#kinds = new GatewayKinds({ client, clock: options.clock, found: (kinds) => this.#foundKinds(kinds) });
    for (const watch of watches.filter((watch) => !isLater(watch))) this.#start(watch);
    this.#run(this.#kinds.run(signal));
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

  object(kind: string, key: string): KubernetesObject | undefined {
    return this.#get(kind, key);
  }

  onOptional(look: (kind: string, key: string) => void): void {
    this.#ofOptional.add(look);
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

  #foundKinds(kinds: ServedKinds): void {
    this.#options.kindsFound?.(kinds);
    this.#optional.found(kinds);
    this.#assembler.isDefinedBy(kinds.versions);
    this.#wake();
  }

  #drop(watched: Watched): void {
    this.#watched.delete(watched);
    watched.stop.abort();
    this.#noticeAllOf(watched);
  }

  #noticeAllOf({ watch, informer }: Watched): void {
    for (const object of informer.store.values()) this.#assembler.notice(watch.of.kind, keyOf(object));
    this.#wake();
  }

  #start(watch: Watch, held = false): Watched {
    const { of, namespace, labelSelector, fieldSelector } = watch;
    const { clock, random } = this.#options;
    const informer = new SharedInformer<KubernetesObject>(this.#client, of, {
      namespace,
      labelSelector,
      fieldSelector,
      clock,
      random,
      transform: (object) => this.#takenIn.take(object),
      report: (event) => this.#onEvent(watched, event),
    });
    const watched: Watched = { watch, informer, given: false, away: false, held, stop: new AbortController() };
    this.#watched.add(watched);
    informer.subscribe(({ object }) => {
      this.#assembler.notice(of.kind, keyOf(object));
      if (of.kind === "Secret") this.#ofSecrets.get(keyOf(object))?.();
      if (watch.optional) for (const look of this.#ofOptional) look(of.kind, keyOf(object));
      this.#wake();
    });
    this.#run(informer.run(AbortSignal.any([this.#signal, watched.stop.signal])));
    return watched;
  }

  #onEvent(watched: Watched, event: ReflectorEvent): void {
    const { watch } = watched;
    this.#options.report(watch, event);
    if (event.kind === "failed") watched.away = !event.denied;
    else if (watched.away) this.#onReached(watched);
    if (event.kind === "failed" && event.denied) this.#onDenied(watched, event.failure);
    if (event.kind === "listed" && watch.of.kind === "IngressClass") this.#assembler.seesClasses(true);
    this.#wake();
  }

  /**
   * Tries all watches again. Each watch waits by itself for a server that is away. The first one
   * that succeeds ends the wait of the others.
   */
  #onReached(watched: Watched): void {
    watched.away = false;
    for (const { informer } of this.#watched) informer.tryNow();
  }

  #onDenied(watched: Watched, failure: ApiFailure): void {
    const { watch, informer } = watched;
    if (watch.optional && failure.code === 404) this.#kinds.lookNow();
    if (informer.hasSynced || watched.given) return;
    if (failure.code === 404 && watch.of.kind === endpointSlices.kind) {
      watched.given = true;
      this.#start({ ...watch, of: endpoints });
    } else if (watch.without !== undefined) this.#run(this.#goWithout(watched));
  }

  /**
   * Goes on without a kind that cannot be listed. A new API server may refuse requests for a
   * moment, so only a second refusal counts.
   */
  async #goWithout(watched: Watched): Promise<void> {
    const { of, namespace, fieldSelector } = watched.watch;
    await sleep(this.#options.clock, certaintyMs, this.#signal);
    const answer = await this.#client.list(of, { namespace, fieldSelector, limit: 1 }, this.#signal);
    if (answer.ok || !isDenied(answer.failure) || watched.informer.hasSynced) return;
    watched.given = true;
    if (of.kind === "IngressClass") this.#assembler.seesClasses(false);
    this.#wake();
  }

  #wake(): void {
    if (this.#isWoken || this.#signal.aborted) return;
    this.#isWoken = true;
    soon("a look at the cluster", () => {
      this.#isWoken = false;
      this.#turn();
    });
  }

  #turn(): void {
    this.#optional.settle();
    // At the start everything waits for the optional kinds. Later ones are added when complete.
    const areIn = [...this.#watched].every(({ informer, given, held }) => held || informer.hasSynced || given);
    const isIn = areIn && (this.#isSynced || (this.#kinds.areKnown && !this.#optional.areHeld));
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
    return [...this.#watched]
      .filter(({ watch, held }) => watch.of.kind === kind && !held)
      .map(({ informer }) => informer);
  }

  #get(kind: string, key: string): KubernetesObject | undefined {
    return this.#informersOf(kind)
      .map(({ store }) => store.get(key))
      .find((object) => object !== undefined);
  }

  #stores(): Stores {
    return {
      get: (kind, key) => this.#get(kind, key),
      isNameOnly: (object) => this.#takenIn.isNameOnly(object),
      failureOf: (object) => this.#takenIn.failureOf(object),
      inNamespaces: (namespaces) => this.#inNamespaces(namespaces),
      load: (reference) => this.#queue.add(reference),
    };
  }

  *#inNamespaces(namespaces: ReadonlySet<string>): Iterable<string> {
    for (const { informer } of this.#watched)
      for (const object of informer.store.values())
        if (namespaces.has(object.metadata.namespace ?? "")) yield `${object.kind} ${keyOf(object)}`;
  }
}
