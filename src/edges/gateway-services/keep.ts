/**
 * Keeps the Services of Gateways and their EndpointSlices as long as this process leads. First it
 * updates the record of target ports, then it writes each Gateway's Service, then its slices.
 * Correct objects are not written.
 */
import { guardedLater } from "../../base/guarded.ts";
import type { Gateway } from "../../core/model/gateway/objects.ts";
import { isMarked, ownerUidOf } from "../../core/model/gateway/services.ts";
import type { DesiredStatus } from "../../core/model/gateway/status.ts";
import { keyOf, type Service, serviceOf } from "../../core/model/objects.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { Table } from "../../core/model/table.ts";
import {
  bugFailure,
  perKey,
  type QueueEvent,
  type Reconciled,
  type ReflectorEvent,
  runWorkers,
  type Term,
  WorkQueue,
} from "../../kube/index.ts";
import { Allocator } from "./allocator.ts";
import { type OwnPods, PodWatch } from "./own-pods.ts";
import { type Round, ServiceWriter } from "./service-writer.ts";
import { podEndpoints } from "./slices.ts";
import { WantedServices } from "./wanted.ts";
import type { ServicesWorld } from "./world.ts";

export interface GatewayServicesOptions extends ServicesWorld {
  readonly random: () => number;
  /** Calls the listener when the Snapshot has changed. Returns a function that ends this. */
  readonly onChange: (listener: () => void) => () => void;
  readonly watched: (event: ReflectorEvent) => void;
  readonly queued?: (event: QueueEvent) => void;
}

const workers = 8;
const delays = { floorMs: 500, ceilingMs: 60_000 };

/** Further keys of the queue, beside the keys of Gateways. */
const recordKey = "record";
const unwantedKey = "unwanted";

export class GatewayServices {
  readonly #options: GatewayServicesOptions;
  readonly #wanted = new WantedServices();
  #queue: WorkQueue | undefined;

  constructor(options: GatewayServicesOptions) {
    this.#options = options;
  }

  /** Takes the statuses of a turn. */
  take(statuses: Table<DesiredStatus>): void {
    const changed = this.#wanted.take(statuses);
    if (changed.length === 0) return;
    for (const key of [recordKey, unwantedKey, ...changed]) this.#queue?.add(key);
  }

  /**
   * Writes until the term is lost or `stop` aborts. In the second case the last slices mark this
   * Pod as ending, because the next leader may come only after this process has gone.
   */
  async keep(term: Term, stop: AbortSignal, own: OwnPods): Promise<void> {
    const { client, clock, random, watched, queued, onChange } = this.#options;
    const queue = new WorkQueue(clock, { limiter: perKey(delays), report: queued });
    const ended = new AbortController();
    let leaving: string | undefined;
    const all = () => this.#wanted.all().map(({ gateway }) => keyOf(gateway));
    const addAll = () => {
      for (const key of all()) queue.add(key);
    };
    const pods = new PodWatch({ client, own, clock, random, report: watched, changed: addAll });
    const shift: Shift = {
      queue,
      allocator: new Allocator(this.#options, this.#wanted),
      writer: new ServiceWriter(this.#options),
      endpoints: () => pods.pods && podEndpoints(pods.pods, (node) => pods.zoneOf(node), leaving),
      round: { mayWrite: () => term.holds(), signal: term.lost },
    };
    const leave = () => {
      leaving = own.name;
      addAll();
      ended.abort();
    };
    this.#queue = queue;
    for (const key of [recordKey, unwantedKey]) queue.add(key);
    let seen = this.#options.snapshot();
    const unsubscribe = onChange(() => {
      const before = seen;
      seen = this.#options.snapshot();
      for (const key of this.#touched(before, seen, shift)) queue.add(key);
    });
    stop.addEventListener("abort", leave, { once: true });
    term.lost.addEventListener("abort", () => ended.abort(), { once: true });
    if (term.lost.aborted) ended.abort();
    else if (stop.aborted) leave();
    const watching = pods.run(AbortSignal.any([term.lost, ended.signal]));
    await runWorkers(queue, (key) => this.#reconcile(key, shift), ended.signal, { workers });
    stop.removeEventListener("abort", leave);
    unsubscribe();
    if (this.#queue === queue) this.#queue = undefined;
    await watching;
  }

  /** Yields keys whose objects may have to be written or deleted. */
  *#touched(before: Snapshot, now: Snapshot, { allocator }: Shift): Iterable<string> {
    const services = now.services.changesSince(before.services);
    const slices = now.endpointSlices.changesSince(before.endpointSlices);
    for (const { key } of services) {
      const owner = this.#wanted.ownerOf(key);
      if (owner !== undefined) yield* [owner, recordKey];
    }
    for (const { before: old, after } of slices) {
      const slice = after ?? old;
      const owner = slice && isMarked(slice) ? this.#wanted.ownerOf(serviceOf(slice) ?? "") : undefined;
      if (owner !== undefined) yield* [owner, recordKey];
    }
    const isOther = now.gateways !== before.gateways || now.gatewayClasses !== before.gatewayClasses;
    if (isOther || services.some(({ after }) => after && isMarked(after))) yield unwantedKey;
    if (isOther || (now.configMaps !== before.configMaps && allocator.isOutdated)) yield recordKey;
  }

  async #reconcile(key: string, shift: Shift): Promise<Reconciled> {
    const { round } = shift;
    const failedOn = (bug: Error): Reconciled => {
      this.#options.failed(key, bugFailure(bug));
      return { kind: "retry", why: bug.message };
    };
    const result = await guardedLater<Reconciled>(() => this.#work(key, shift), failedOn);
    return round.mayWrite() ? result : { kind: "done" };
  }

  async #work(key: string, { queue, allocator, writer, endpoints, round }: Shift): Promise<Reconciled> {
    if (!round.mayWrite()) return { kind: "done" };
    if (key === unwantedKey) return this.#removeUnwanted(writer, round);
    if (key === recordKey) {
      return allocator.reconcile(round.signal, round.mayWrite, (uids) => {
        // A Gateway may have been created since the work on the record began.
        for (const { gateway } of this.#wanted.all()) {
          if (uids.has(gateway.metadata.uid ?? "")) queue.add(keyOf(gateway));
        }
      });
    }
    const wanted = this.#wanted.of(key);
    if (wanted === undefined) return { kind: "done" };
    return writer.reconcile(wanted, allocator.targetsOf(wanted.gateway.metadata.uid ?? ""), endpoints(), round);
  }

  async #removeUnwanted(writer: ServiceWriter, round: Round): Promise<Reconciled> {
    if (!this.#wanted.areKnown) return { kind: "done" };
    for (const [gateway, service] of this.#unwanted()) {
      const failure = await writer.remove(service, round);
      if (failure !== undefined) {
        this.#options.failed(`Service ${keyOf(service)}`, failure);
        return { kind: "retry", why: failure.message };
      }
      const message = `Service ${keyOf(service)} was deleted, because the Gateway has no use for it any more`;
      this.#options.say(gateway, "Normal", "ServiceDeleted", message);
    }
    return { kind: "done" };
  }

  /** Returns Services that are no longer wanted, each with the Gateway that owns it. */
  #unwanted(): readonly (readonly [Gateway, Service])[] {
    const { controllerName } = this.#options;
    const snapshot = this.#options.snapshot();
    const byUid = new Map([...snapshot.gateways.values()].map((gateway) => [gateway.metadata.uid, gateway]));
    return [...snapshot.services.values()].flatMap((service) => {
      const uid = ownerUidOf(service, controllerName);
      const gateway = uid === undefined ? undefined : byUid.get(uid);
      if (gateway === undefined || gateway.metadata.namespace !== service.metadata.namespace) return [];
      const wanted = this.#wanted.of(keyOf(gateway));
      const isOthers = wanted !== undefined && wanted.service.name !== service.metadata.name;
      const isGivenUp = wanted === undefined && this.#wanted.isGivenUp(gateway, snapshot, controllerName);
      return isOthers || isGivenUp ? [[gateway, service] as const] : [];
    });
  }
}

/** The state of one term of leadership. */
interface Shift {
  readonly queue: WorkQueue;
  readonly allocator: Allocator;
  readonly writer: ServiceWriter;
  readonly endpoints: () => ReturnType<typeof podEndpoints> | undefined;
  readonly round: Round;
}
