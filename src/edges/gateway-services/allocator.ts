/**
 * Keeps the record of target ports up to date. Gateways without target ports get some, and ports to
 * which no Service leads any more are not reused for a while.
 */

import { isServiceOf, namedTarget, serviceKeyOf } from "../../core/model/gateway/services.ts";
import type { Service } from "../../core/model/objects.ts";
import { allocate, type PortNeed } from "../../core/sources/gateway/services/allocation.ts";
import { type PortUse, targetsIn } from "../../core/sources/gateway/services/record.ts";
import { type ApiFailure, nameOf, type Reconciled } from "../../kube/index.ts";
import { services } from "../resources.ts";
import { PortRecordFile } from "./port-record.ts";
import type { Targets } from "./service.ts";
import { sliceNames } from "./slices.ts";
import type { WantedServices } from "./wanted.ts";
import { type ServicesWorld, serviceIn, sliceIn } from "./world.ts";

/** The time until the next request for a Service that may only have left the watched namespaces. */
const againMs = 60_000;
const tries = 5;

export class Allocator {
  readonly #world: ServicesWorld;
  readonly #wanted: WantedServices;
  readonly #file: PortRecordFile;
  #targets: ReadonlyMap<string, Targets> = new Map();

  constructor(world: ServicesWorld, wanted: WantedServices) {
    this.#world = world;
    this.#wanted = wanted;
    this.#file = new PortRecordFile(world.client, world.record);
  }

  /** Returns the target ports of a Gateway by `portKey`, as the stored record has them. */
  targetsOf(uid: string): Targets {
    return this.#targets.get(uid) ?? {};
  }

  /** Whether a watch brought a record with content that this process does not know. */
  get isOutdated(): boolean {
    const { snapshot, record } = this.#world;
    return !this.#file.isKnown(snapshot().configMaps.get(record));
  }

  /**
   * Brings the record in line with the Gateways. `changed` is called with the uids of all Gateways
   * whose target ports have changed.
   */
  async reconcile(
    signal: AbortSignal,
    mayWrite: () => boolean,
    changed: (uids: ReadonlySet<string>) => void,
  ): Promise<Reconciled> {
    if (!this.#wanted.areKnown) return { kind: "done" };
    for (let attempt = 1; ; attempt += 1) {
      // Another program may have changed or deleted the record.
      const mustRead = this.#file.record === undefined || this.isOutdated;
      const unread = mustRead ? await this.#file.read(signal) : undefined;
      if (unread !== undefined) return this.#later(unread);
      const held = await this.#heldUids(signal);
      const { ports: allowed, clock } = this.#world;
      const needs = this.#needs();
      const isHeld = (target: number, use: PortUse) => held.has(use.uid) || this.#isNamed(target, use.service);
      const question = { record: this.#file.record!, needs, allowed, isHeld, nowMs: clock.wall() };
      const { record, moved, waitMs } = allocate(question);
      if (!mayWrite()) return { kind: "done" };
      const written = await this.#file.write(record, signal);
      if (written.kind === "failed") return this.#later(written.failure);
      if (written.kind === "outdated" && attempt < tries) continue;
      if (written.kind === "outdated") return { kind: "retry", why: "the record of target ports changes too often" };
      this.#take(changed);
      for (const { need, to } of moved) this.#reportMoved(need, to);
      const delays = [...(waitMs === undefined ? [] : [waitMs + 1_000]), ...(held.size > 0 ? [againMs] : [])];
      return delays.length === 0 ? { kind: "done" } : { kind: "after", delayMs: Math.min(...delays) };
    }
  }

  #take(changed: (uids: ReadonlySet<string>) => void): void {
    const before = this.#targets;
    const now = targetsIn(this.#file.record!, this.#world.ports);
    this.#targets = now;
    const differs = (uid: string) => JSON.stringify(before.get(uid)) !== JSON.stringify(now.get(uid));
    const others = new Set([...before.keys(), ...now.keys()].filter(differs));
    if (others.size > 0) changed(others);
  }

  #needs(): readonly PortNeed[] {
    return this.#wanted.all().flatMap(({ gateway, service }) => {
      const key = serviceKeyOf(gateway, service);
      const present = serviceIn(this.#world, key);
      const isOurs = present !== undefined && isServiceOf(present, gateway, this.#world.controllerName);
      return service.ports.map((port): PortNeed => {
        const named = isOurs ? namedTarget(present, port) : undefined;
        return { uid: gateway.metadata.uid ?? "", service: key, port: port.port, protocol: port.protocol, named };
      });
    });
  }

  /**
   * Returns Gateways that want no Service, as far as is known, although their Service exists or may
   * exist.
   */
  async #heldUids(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const wanted = new Set(this.#wanted.all().map(({ gateway }) => gateway.metadata.uid));
    const uses = [...this.#file.record!.entries.values()].flatMap((entry) =>
      entry.kind === "used" ? [entry.use] : [],
    );
    const others = new Map(uses.filter(({ uid }) => !wanted.has(uid)).map((use) => [use.uid, use.service]));
    const held = new Set<string>();
    for (const [uid, service] of others) if (await this.#mayLead(service, uid, signal)) held.add(uid);
    return held;
  }

  /**
   * Whether that Gateway's Service may still exist. A Service that no watch reports is requested,
   * because it may be outside of the watched namespaces.
   */
  async #mayLead(key: string, uid: string, signal: AbortSignal): Promise<boolean> {
    const isIts = ({ metadata }: Service) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
    const seen = serviceIn(this.#world, key);
    if (seen !== undefined && isIts(seen)) return true;
    const answer = await this.#world.client.get(services, nameOf(key), signal);
    if (answer.ok) return isIts(answer.value);
    return answer.failure.code !== 404;
  }

  /** Whether the Service, or one of its slices, still leads to the port. */
  #isNamed(target: number, key: string): boolean {
    const service = serviceIn(this.#world, key);
    if (service?.spec?.ports?.some(({ targetPort }) => targetPort === target)) return true;
    const { namespace, name } = nameOf(key);
    return sliceNames(name).some((slice) =>
      sliceIn(this.#world, `${namespace}/${slice}`)?.ports?.some(({ port }) => port === target),
    );
  }

  #reportMoved({ service, port, named }: PortNeed, to: number | undefined): void {
    const owner = this.#wanted.ownerOf(service);
    const wanted = owner === undefined ? undefined : this.#wanted.of(owner);
    if (wanted === undefined) return;
    const instead = to === undefined ? "no port is free" : `${to} takes its place`;
    const message = `Target port ${named} of port ${port} cannot be used: another Gateway has it, had it until a moment ago, or --gateway-service-ports leaves it out; ${instead}`;
    this.#world.say(wanted.gateway, "Warning", "TargetPortChanged", message);
  }

  #later(failure: ApiFailure): Reconciled {
    this.#world.failed(`ConfigMap ${this.#world.record}`, failure);
    return { kind: "retry", why: failure.message };
  }
}
