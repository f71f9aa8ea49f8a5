/**
 * The Gateways of this controller, with their ListenerSets. They are read again when they or
 * objects that they refer to change. Routes find their listeners here, and nginx listens on the
 * ports of all of them.
 */

import { guarded } from "../../../base/guarded.ts";
import type { Identity } from "../../model/backend-tls.ts";
import { Dependencies } from "../../model/dependencies.ts";
import type { Gateway } from "../../model/gateway/objects.ts";
import type { DesiredStatus } from "../../model/gateway/status.ts";
import { kindAndKey, nameOf } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import { bugProblem } from "../../model/problem.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { AuthoritiesBudget, tooMuchTrust } from "../../table/authorities.ts";
import type { Certificates } from "../../table/hosts/certificates.ts";
import type { LastGood } from "../../table/last-good.ts";
import type { TranslateOptions } from "../../table/options.ts";
import type { Problems } from "../../table/problems.ts";
import { type Turn, usersOfChanged } from "../../table/turn.ts";
import { type ClassReading, isSameClass, mayClassesDiffer, readClasses } from "./classes.ts";
import { gatewayStatus } from "./gateway-status.ts";
import type { Grants } from "./grants.ts";
import { intersect } from "./hostnames.ts";
import { bytesLoaded, unservedListeners } from "./listener/clients.ts";
import { DefaultGateways, defaultGateways } from "./listener/default-gateways.ts";
import { bytesOfIdentity, readIdentity, referencesOf, unshown } from "./listener/listener-references.ts";
import { ListenerSets } from "./listener/listener-sets.ts";
import type { GatewayState } from "./listener/listener-status.ts";
import { problemsOfGateway, problemsOfSet } from "./listener/problems.ts";
import { seenByRoutes } from "./listener/seen.ts";
import { setStatus } from "./listener/set-status.ts";
import { readListeners } from "./listeners.ts";
import { infrastructureParameters } from "./parameters.ts";
import { Placement } from "./placement.ts";
import {
  type GatewayReading,
  hasListener,
  isUsable,
  type ListenerReading,
  ownerOfListener,
  type ParentReading,
  type SetReading,
} from "./reading.ts";
import { StandIns } from "./stand-ins.ts";
import { unservedFields } from "./unserved.ts";

export class Gateways {
  readonly #options: TranslateOptions;
  readonly #problems: Problems;
  readonly #grants: Grants;
  readonly #certificates: Certificates;
  readonly #references = new Dependencies();
  readonly #sets: ListenerSets;
  readonly placement: Placement;
  /** The Gateways without their sets. */
  readonly #own = new Map<string, GatewayReading>();
  readonly #readings = new Map<string, GatewayReading>();
  readonly #attachedSets = new Map<string, SetReading>();
  readonly #attachable = new Map<string, string>();
  #classes: ReadonlyMap<string, ClassReading> = new Map();
  /** Gateways and ListenerSets whose statuses may have changed, such as `Gateway shop/public`. */
  #changedStatus = new Set<string>();
  /** Gateways on which Sluice failed. */
  readonly #bugs = new Map<string, Problem>();
  readonly #standIns = new StandIns<Gateway>("Gateway");
  readonly #authorities = new AuthoritiesBudget();
  readonly defaults = new DefaultGateways();

  constructor(options: TranslateOptions, problems: Problems, grants: Grants, certificates: Certificates) {
    this.#options = options;
    this.#problems = problems;
    this.#grants = grants;
    this.#certificates = certificates;
    this.#sets = new ListenerSets(grants, certificates, options.lacks);
    this.placement = new Placement(options);
  }

  /** Returns the reading of, for example, `Gateway shop/public`; undefined if it is not ours. */
  parent(called: string): ParentReading | undefined {
    const [kind, key] = kindAndKey(called);
    if (kind !== "Gateway") {
      const set = this.#setReading(key);
      return set && { called, gateway: set.gateway, listeners: set.listeners, notAllowed: set.notAllowed };
    }
    const reading = this.#readings.get(key);
    return reading && { called, gateway: key, listeners: reading.listeners, notAllowed: undefined };
  }

  /** Returns the certificate that the Gateway shows to backends; undefined if it shows none. */
  identity(gateway: string): Identity | undefined {
    return this.#readings.get(gateway)?.identity;
  }

  /** Whether the Gateway has a listener with TLS that has hosts in common with this one. */
  hasTls(gateway: string, { hostname }: ListenerReading): boolean {
    const reading = this.#readings.get(gateway);
    const takes = (one: ListenerReading) => one.tls && intersect(one.hostname, hostname);
    return reading !== undefined && hasListener(reading, takes);
  }

  /** Whether routes are served on the listener. */
  isServed(one: ListenerReading): boolean {
    return isUsable(one) && !this.placement.unavailable.has(one.id);
  }

  /**
   * Returns parents, like `Gateway shop/public`, whose routes may have other listeners now, and
   * `defaultGateways` if there are other ones.
   */
  renew(turn: Turn, granting: ReadonlySet<string>): Set<string> {
    const outdated = this.#outdated(turn, granting);
    for (const key of outdated) this.#weigh(key, turn);
    for (const key of this.#authorities.settle(turn.settings)) outdated.add(key);
    const sets = this.#sets.outdated(turn, outdated, granting, this.#classes.size > 0);
    this.#changedStatus = new Set([...outdated].map((key) => `Gateway ${key}`));
    for (const key of sets) this.#changedStatus.add(`ListenerSet ${key}`);
    const isMoved = this.placement.update(turn);
    if (this.#changedStatus.size === 0 && !isMoved && !turn.afresh) return new Set();
    for (const key of outdated) {
      guarded(
        () => this.#read(key, turn),
        (bug) => this.#setAside(key, bug),
      );
    }
    const merged = this.#sets.renew(sets, turn, (key) => this.#own.get(key));
    for (const key of new Set([...outdated, ...merged])) this.#merge(key);
    for (const key of outdated) this.#changedState(key);
    const placement = this.placement;
    for (const key of placement.assign(this.#readings, turn)) this.#changedState(key);
    const ids = placement.place(this.#readings, (key) => this.#changedStatus.has(`Gateway ${key}`));
    for (const id of ids) this.#changedPlace(ownerOfListener(id));
    const changed = new Set<string>();
    for (const called of this.#changedStatus) {
      this.#reportProblems(called);
      if (this.#isAttachedOtherwise(called, turn.now.snapshot)) changed.add(called);
    }
    if (this.defaults.update(this.#readings)) changed.add(defaultGateways);
    return changed;
  }

  /** Returns changed statuses. `counted` are the listeners whose routes have changed. */
  statuses(counted: Iterable<string>, attached: (id: string) => number): [string, DesiredStatus | undefined][] {
    const all = new Set(this.#changedStatus);
    for (const id of counted) all.add(ownerOfListener(id));
    return [...all].map((called) => {
      const [kind, key] = kindAndKey(called);
      const set = kind === "Gateway" ? undefined : this.#setReading(key);
      const state = this.#stateOf(kind === "Gateway" ? key : (set?.gateway ?? ""));
      if (state === undefined) return [called, undefined];
      return [called, set === undefined ? gatewayStatus(state, attached) : setStatus(set, state, attached)];
    });
  }

  /** Returns `objects` with the last good forms that replace refused ones. */
  withStandIns(objects: LastGood["objects"]): LastGood["objects"] {
    return this.#sets.withStandIns(this.#standIns.withStandIns(objects));
  }

  /** The GatewayClasses of this controller, by name. */
  get classes(): ReadonlyMap<string, ClassReading> {
    return this.#classes;
  }

  #outdated(turn: Turn, granting: ReadonlySet<string>): Set<string> {
    const { before, now, afresh } = turn;
    const { gateways } = now.snapshot;
    const changed = new Set(gateways.changesSince(before.snapshot.gateways).map(({ key }) => key));
    for (const key of this.#standIns.changed(turn)) changed.add(key);
    for (const kind of ["Secret", "ConfigMap"] as const) {
      for (const key of usersOfChanged(this.#references, kind, turn, `${kind} `)) changed.add(key);
    }
    for (const namespace of granting)
      for (const key of this.#references.usersOf(`grants ${namespace}`)) changed.add(key);
    if (!afresh && !mayClassesDiffer(before.snapshot, now.snapshot)) return changed;
    const old = this.#classes;
    this.#classes = readClasses(now.snapshot, this.#options);
    for (const name of new Set([...old.keys(), ...this.#classes.keys()])) {
      this.#problems.replace(`GatewayClass ${name}`, this.#classes.get(name)?.problems ?? []);
    }
    const isOther = (name: string) => !isSameClass(old.get(name), this.#classes.get(name));
    for (const [key, { spec }] of gateways) if (isOther(spec?.gatewayClassName ?? "")) changed.add(key);
    return changed;
  }

  /** Weighs the authorities for clients of the Gateway's own listeners, and its own certificate. */
  #weigh(key: string, { now }: Turn): void {
    const { gateways, configMaps } = now.snapshot;
    const [present, good] = [gateways.get(key), now.lastGood.objects.get(`Gateway ${key}`)];
    const isOurs = this.#classes.get(present?.spec?.gatewayClassName ?? "")?.isServed === true;
    const bytesOf = (gateway: Gateway | undefined): number =>
      gateway === undefined
        ? 0
        : bytesOfIdentity(gateway) +
          bytesLoaded(gateway, gateway.spec?.listeners ?? [], (name) => configMaps.get(name));
    // A bug here must not affect other Gateways.
    const bytes = guarded(
      () => Math.max(bytesOf(present), bytesOf(good as Gateway | undefined)),
      () => 0,
    );
    this.#authorities.set(key, isOurs ? present : undefined, bytes);
  }

  /** Drops a Gateway, so that no part of it is served. */
  #setAside(key: string, bug?: Error): void {
    this.#own.delete(key);
    this.#references.set(key, []);
    this.#certificates.use(`listeners of Gateway ${key}`, []);
    if (bug === undefined) this.#bugs.delete(key);
    else this.#bugs.set(key, bugProblem({ kind: "Gateway", ...nameOf(key) }, bug));
  }

  #read(key: string, turn: Turn): void {
    const { now } = turn;
    const present = now.snapshot.gateways.get(key);
    const isOurs = present !== undefined && this.#classes.get(present.spec?.gatewayClassName ?? "")?.isServed === true;
    const { form, refused, isSuspected } = this.#standIns.inForce(key, isOurs ? present : undefined, turn);
    if (present === undefined || !isOurs) {
      this.#setAside(key);
      return;
    }
    this.#bugs.delete(key);
    const gateway = form ?? { ...present, spec: { ...present.spec, listeners: [] } };
    const refusal = (field: string, done: string) =>
      this.#authorities.isRefused(key)
        ? tooMuchTrust({ kind: "Gateway", ...nameOf(key) }, field, turn.settings, done)
        : undefined;
    const world = {
      grants: this.#grants,
      lacks: this.#options.lacks,
      secret: (name: string) => this.#certificates.secret(name),
      brokenSecret: (name: string) => this.#certificates.broken(name),
      configMap: (name: string) => now.snapshot.configMaps.get(name),
      tooMuchTrust: refusal("spec.tls.frontend", unservedListeners),
      hasServices: this.#options.gateway.services !== undefined,
    };
    const { name, namespace = "default" } = gateway.metadata;
    const object = { kind: "Gateway", namespace, name };
    const read = readListeners(object, gateway, gateway, world);
    const shown = readIdentity(object, gateway, world, refusal("spec.tls.backend", unshown));
    const { listeners } = read;
    const parameters = infrastructureParameters(gateway, object, world);
    const unserved = [...read.problems, ...shown.problems, ...unservedFields(gateway, object, this.#options.gateway)];
    const more = { ...(shown.identity && { identity: shown.identity }), unresolved: shown.unresolved };
    const own = { parameters: parameters?.problem, values: parameters?.values };
    const reading = { key, gateway, present, listeners, ...own, unserved, sets: [], ...more };
    this.#own.set(key, refused === undefined || isSuspected ? reading : { ...reading, refused });
    this.#references.set(key, referencesOf(gateway, [read, shown]));
    this.#certificates.use(`listeners of Gateway ${key}`, [...new Set(listeners.flatMap((one) => one.certificates))]);
  }

  /** Puts a Gateway and its sets together, and notes the sets that have changed. */
  #merge(key: string): void {
    const own = this.#own.get(key);
    const before = this.#readings.get(key)?.sets ?? [];
    const reading = own && this.#sets.merge(own);
    if (reading === undefined) this.#readings.delete(key);
    else this.#readings.set(key, reading);
    this.#changedStatus.add(`Gateway ${key}`);
    const same = new Set(before);
    const after = new Set(reading?.sets);
    for (const set of before) {
      if (after.has(set)) continue;
      this.#attachedSets.delete(set.key);
      this.#changedStatus.add(`ListenerSet ${set.key}`);
    }
    for (const set of after) {
      if (same.has(set)) continue;
      this.#attachedSets.set(set.key, set);
      this.#changedStatus.add(`ListenerSet ${set.key}`);
    }
  }

  /** Notes a changed state of a Gateway, which also affects its sets. */
  #changedState(key: string): void {
    this.#changedStatus.add(`Gateway ${key}`);
    for (const set of this.#readings.get(key)?.sets ?? []) this.#changedStatus.add(`ListenerSet ${set.key}`);
  }

  /** Notes changed ports: the acceptance of a Gateway's sets, and their number, depend on these. */
  #changedPlace(called: string): void {
    const [kind, key] = kindAndKey(called);
    this.#changedStatus.add(called);
    if (kind === "Gateway") this.#changedState(key);
    else this.#changedStatus.add(`Gateway ${this.#attachedSets.get(key)?.gateway ?? ""}`);
  }

  #stateOf(key: string): GatewayState | undefined {
    const reading = this.#readings.get(key);
    if (reading === undefined) return undefined;
    const { unavailable, services } = this.placement;
    const ofClass = this.#classes.get(reading.gateway.spec?.gatewayClassName ?? "")?.parameters;
    const service = services.desired(reading, ofClass);
    return { reading, assignment: this.placement.assignment(key), unavailable, service };
  }

  #setReading(key: string): SetReading | undefined {
    return this.#attachedSets.get(key) ?? this.#sets.unattached(key);
  }

  #reportProblems(called: string): void {
    const [kind, key] = kindAndKey(called);
    if (kind === "Gateway") {
      const state = this.#stateOf(key);
      const bug = this.#bugs.get(key);
      this.#problems.replace(called, state === undefined ? (bug === undefined ? [] : [bug]) : problemsOfGateway(state));
      return;
    }
    const set = this.#setReading(key);
    const other = this.#sets.problem(key);
    const problems =
      set === undefined ? (other === undefined ? [] : [other]) : problemsOfSet(set, this.placement.unavailable);
    this.#problems.replace(called, problems);
  }

  /** Whether the parts that routes read have changed, without certificates and addresses. */
  #isAttachedOtherwise(called: string, snapshot: Snapshot): boolean {
    const [kind, key] = kindAndKey(called);
    const isThere = (kind === "Gateway" ? snapshot.gateways : snapshot.listenerSets).has(key);
    const parent = this.parent(called);
    const seen = parent && seenByRoutes(parent, (one) => this.isServed(one), this.identity(parent.gateway));
    const text = seen ?? (isThere ? "of others" : undefined);
    if (this.#attachable.get(called) === text) return false;
    if (text === undefined) this.#attachable.delete(called);
    else this.#attachable.set(called, text);
    return true;
  }
}
