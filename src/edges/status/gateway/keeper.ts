/**
 * Keeps the status of GatewayClasses, Gateways and routes as long as this process leads. It checks
 * an object when its wanted status changes and when the object itself changes. So it also corrects
 * a status that another program has overwritten.
 *
 * An answer of the API server is newer than the watch until the watch has delivered the same
 * version. A comparison with the watch's older form could miss that a status has to be changed
 * back.
 */
import { isDeepStrictEqual } from "node:util";
import { guardedLater } from "../../../base/guarded.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { TokenBucket } from "../../../base/timing/token-bucket.ts";
import { figuresOf, type GatewayFigures } from "../../../core/model/gateway/figures.ts";
import type { ListenerSet } from "../../../core/model/gateway/listener-set.ts";
import type { Condition, Gateway, GatewayAddress } from "../../../core/model/gateway/objects.ts";
import type { DesiredCondition, DesiredStatus } from "../../../core/model/gateway/status.ts";
import { type KubernetesObject, kindAndKey, type LoadBalancerAddress, objectKey } from "../../../core/model/objects.ts";
import type { Table } from "../../../core/model/table.ts";
import {
  type ApiFailure,
  bugFailure,
  type Client,
  perKey,
  type QueueEvent,
  type Reconciled,
  type Resource,
  runWorkers,
  sleep,
  type Term,
  versionOf,
  WorkQueue,
} from "../../../kube/index.ts";
import {
  backendTLSPolicies,
  gatewayClasses,
  gateways,
  grpcRoutes,
  httpRoutes,
  listenerSets,
  routeSettings,
  tcpRoutes,
  tlsRoutes,
  udpRoutes,
} from "../../resources.ts";
import { type Addresses, sameAddresses } from "../addresses.ts";
import { timeOf } from "./conditions.ts";
import { mergedStatus, type Writer } from "./merged.ts";
import { WantedStatuses } from "./wanted.ts";
import { type Written, writeStatus } from "./write.ts";

export interface GatewayStatusOptions {
  readonly client: Pick<Client, "get" | "patch">;
  readonly controllerName: string;
  /** Returns the newest known form of an object, with its status. */
  readonly newest: (kind: string, key: string) => KubernetesObject | undefined;
  /**
   * Returns the names of all routes, to find those that no longer name a Gateway of this
   * controller.
   */
  readonly routes: () => Iterable<readonly [kind: string, key: string]>;
  readonly clock: Clock;
  readonly report: (event: GatewayStatusEvent) => void;
  readonly queued?: (event: QueueEvent) => void;
}

export type GatewayStatusEvent =
  | { readonly kind: "written"; readonly object: string }
  | { readonly kind: "failed"; readonly object: string; readonly failure: ApiFailure };

const routes: readonly Resource<KubernetesObject>[] = [httpRoutes, grpcRoutes, tlsRoutes, tcpRoutes, udpRoutes];
const resources: ReadonlyMap<string, Resource<KubernetesObject>> = new Map(
  [gatewayClasses, gateways, listenerSets, ...routes, backendTLSPolicies, routeSettings].map((of) => [of.kind, of]),
);
const routeKinds: ReadonlySet<string> = new Set(routes.map(({ kind }) => kind));

const workers = 8;
/**
 * The limit for all statuses together: many at once after a start, and a fixed number a second from
 * then on.
 */
const rate = { perSecond: 50, burst: 200 };
const delays = { floorMs: 500, ceilingMs: 300_000 };

/** The last status that was written, and the API server's form of it. */
interface Answered {
  readonly sent: unknown;
  readonly stored: KubernetesObject;
}

export class GatewayStatuses {
  readonly #options: GatewayStatusOptions;
  readonly #wanted = new WantedStatuses((key) => this.#queue?.add(key));
  readonly #answered = new Map<string, Answered>();
  /** The figures of this table. They are kept, because a scrape reads them several times. */
  #figures: { readonly of: Table<DesiredStatus>; readonly figures: GatewayFigures } | undefined;
  /** The addresses in the status of Ingresses; undefined while they are not known. */
  #ingressAddresses: Addresses | undefined;
  #queue: WorkQueue | undefined;
  #hasLooked = false;

  constructor(options: GatewayStatusOptions) {
    this.#options = options;
  }

  /** Takes the statuses that a turn has made, or those of a turn that is live. */
  take(statuses: Table<DesiredStatus>, progress: "made" | "live"): void {
    this.#wanted.take(statuses, progress);
    if (!this.#hasLooked && this.#wanted.areKnown) this.#lookAtRoutes();
  }

  /** Reports that an object, or its status, has changed. */
  changed(kind: string, key: string): void {
    if (resources.has(kind)) this.#queue?.add(objectKey(kind, key));
  }

  /** Takes the addresses of Ingresses, for the Gateway that has the same ones. */
  foundIngressAddresses(addresses: Addresses): void {
    if (this.#ingressAddresses !== undefined && sameAddresses(this.#ingressAddresses, addresses)) return;
    this.#ingressAddresses = addresses;
    for (const key of this.#wanted.keys()) if (hasIngressAddresses(this.#wanted.get(key))) this.#queue?.add(key);
  }

  /** Returns the wanted addresses of a Gateway. */
  addressesOf(gateway: string): readonly GatewayAddress[] | undefined {
    const made = this.#wanted.made(objectKey("Gateway", gateway));
    return made?.kind === "Gateway" ? made.addresses : undefined;
  }

  /**
   * Figures about the version that nginx serves; undefined if there are no objects of the
   * Gateway API.
   */
  get figures(): GatewayFigures | undefined {
    const { live } = this.#wanted;
    if (live.size === 0) return undefined;
    if (this.#figures?.of !== live) this.#figures = { of: live, figures: figuresOf(live) };
    return this.#figures.figures;
  }

  /**
   * Writes until the term is lost or `stop` aborts, and resolves after the writes that were begun.
   */
  async keep(term: Term, stop: AbortSignal): Promise<void> {
    const { clock, queued } = this.#options;
    const signal = AbortSignal.any([term.lost, stop]);
    const queue = new WorkQueue(clock, { limiter: perKey(delays), report: queued });
    const bucket = new TokenBucket(rate, clock);
    this.#queue = queue;
    this.#hasLooked = false;
    this.#answered.clear();
    for (const key of this.#wanted.keys()) queue.add(key);
    if (this.#wanted.areKnown) this.#lookAtRoutes();
    const may = () => term.holds() && !signal.aborted;
    await runWorkers(queue, (key) => this.#reconcile(key, { may, bucket, term, signal }), signal, { workers });
    if (this.#queue === queue) this.#queue = undefined;
  }

  #lookAtRoutes(): void {
    if (this.#queue === undefined) return;
    this.#hasLooked = true;
    for (const [kind, key] of this.#options.routes()) this.#queue.add(objectKey(kind, key));
  }

  async #reconcile(called: string, round: Round): Promise<Reconciled> {
    const written = await guardedLater<Written>(
      () => this.#write(called, round),
      (bug) => ({ kind: "failed", failure: bugFailure(bug) }),
    );
    if (written.kind === "written") {
      this.#answered.set(called, written);
      this.#options.report({ kind: "written", object: called });
    }
    if (written.kind !== "failed" || round.signal.aborted) return { kind: "done" };
    this.#options.report({ kind: "failed", object: called, failure: written.failure });
    return { kind: "retry", why: written.failure.message };
  }

  async #write(called: string, { may, bucket, term, signal }: Round): Promise<Written> {
    const { client, controllerName, clock } = this.#options;
    const of = resources.get(kindAndKey(called)[0]);
    const writer = { controllerName, at: timeOf(clock.wall()) };
    const due = () => {
      const known = this.#newest(called);
      const wanted = known && this.#wantedFor(called, known);
      return wanted && this.#lacks(called, known, wanted, writer) ? { known, wanted } : undefined;
    };
    if (of === undefined || due() === undefined) return { kind: "same" };
    const waitMs = bucket.reserve();
    if (waitMs > 0) await sleep(clock, waitMs, signal);
    const now = due();
    if (now === undefined || !may()) return { kind: "same" };
    // An API server with older definitions has some kinds only in an earlier version.
    const { apiVersion = of.apiVersion } = now.known;
    const served = { ...of, apiVersion };
    return writeStatus(now.known, now.wanted, { ...writer, client, of: served, mayWrite: may, signal: term.lost });
  }

  #newest(called: string): KubernetesObject | undefined {
    const seen = this.#options.newest(...kindAndKey(called));
    const answered = this.#answered.get(called);
    const isNewer = seen && answered && versionOf(answered.stored) > versionOf(seen);
    return isNewer && answered.stored.metadata.uid === seen.metadata.uid ? answered.stored : seen;
  }

  /**
   * Returns the wanted status. A route without a Gateway of this controller must not have an entry
   * of this controller. A Gateway without its class, and a ListenerSet without its Gateway, get
   * their initial conditions back, unless another controller has written them.
   */
  #wantedFor(called: string, object: KubernetesObject): DesiredStatus | undefined {
    const wanted = this.#withAddresses(this.#wanted.get(called), object);
    const hasGone = this.#wanted.areKnown && this.#wanted.made(called) === undefined;
    if (wanted !== undefined || !hasGone) return wanted;
    if (routeKinds.has(object.kind)) return { kind: "route", object, parents: [] };
    const former = this.#wanted.former(called);
    if (former === undefined || !isAsWritten(object as Gateway | ListenerSet, former.conditions)) return undefined;
    const initial = { object, conditions: [pending("Accepted"), pending("Programmed")], listeners: [] };
    if (former.kind === "ListenerSet") return { kind: former.kind, ...initial };
    // Its address is kept, in case the class comes back.
    const { addresses = [] } = (object as Gateway).status ?? {};
    return { kind: former.kind, ...initial, addresses, attachedListenerSets: 0 };
  }

  /**
   * Returns the status with addresses. A Gateway keeps its present ones until those of Ingresses
   * are known.
   */
  #withAddresses(wanted: DesiredStatus | undefined, object: KubernetesObject): DesiredStatus | undefined {
    if (wanted?.kind !== "Gateway" || !hasIngressAddresses(wanted)) return wanted;
    const known = this.#ingressAddresses?.map(gatewayAddressOf);
    return { ...wanted, addresses: known ?? (object as Gateway).status?.addresses ?? [] };
  }

  /**
   * Whether the object lacks a part of the wanted status. Fields that the definitions do not have
   * are sent only once, because the API server drops them.
   */
  #lacks(called: string, known: KubernetesObject, wanted: DesiredStatus, writer: Writer): boolean {
    const status = mergedStatus(known, wanted, writer);
    if (status === undefined) return false;
    const answered = this.#answered.get(called);
    return !isDeepStrictEqual([status, statusOf(known)], [answered?.sent, answered && statusOf(answered.stored)]);
  }
}

interface Round {
  readonly may: () => boolean;
  readonly bucket: TokenBucket;
  readonly term: Term;
  readonly signal: AbortSignal;
}

function hasIngressAddresses(status: DesiredStatus | undefined): boolean {
  return status?.kind === "Gateway" && status.hasIngressAddresses === true;
}

function gatewayAddressOf({ ip, hostname = "" }: LoadBalancerAddress): GatewayAddress {
  return ip === undefined ? { type: "Hostname", value: hostname } : { type: "IPAddress", value: ip };
}

const statusOf = (object: KubernetesObject) => (object as { readonly status?: unknown }).status;

function isAsWritten({ status }: Gateway | ListenerSet, conditions: readonly DesiredCondition[]): boolean {
  const messageIn = (all: readonly DesiredCondition[] | readonly Condition[] = []) =>
    all.find(({ type }) => type === "Accepted")?.message;
  return messageIn(status?.conditions) === messageIn(conditions);
}

/** Returns the condition that the definitions give to a new Gateway or ListenerSet. */
function pending(type: string): DesiredCondition {
  return { type, status: "Unknown", reason: "Pending", message: "Waiting for controller" };
}
