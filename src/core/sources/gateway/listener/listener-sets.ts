/**
 * The ListenerSets of this controller's Gateways. They are read again when they or objects that
 * they refer to have changed. A set of another Gateway is left to other controllers.
 */

import { guarded } from "../../../../base/guarded.ts";
import { Dependencies } from "../../../model/dependencies.ts";
import type { ListenerSet } from "../../../model/gateway/listener-set.ts";
import { gatewayGroup } from "../../../model/gateway/objects.ts";
import { missing } from "../../../model/missing.ts";
import { nameOf } from "../../../model/objects.ts";
import type { Owner } from "../../../model/owner.ts";
import type { Problem } from "../../../model/problem.ts";
import { bugProblem } from "../../../model/problem.ts";
import { AuthoritiesBudget, tooMuchTrust } from "../../../table/authorities.ts";
import type { Certificates } from "../../../table/hosts/certificates.ts";
import type { LastGood } from "../../../table/last-good.ts";
import { type Turn, usersOfChanged } from "../../../table/turn.ts";
import type { Capability } from "../../../tokens/capabilities.ts";
import { compared } from "../creation.ts";
import type { Grants } from "../grants.ts";
import { readListeners } from "../listeners.ts";
import { isSelected } from "../namespaces.ts";
import type { GatewayReading, ListenerReading, SetReading } from "../reading.ts";
import { StandIns } from "../stand-ins.ts";
import { unservedListenerFields } from "../unserved.ts";
import { bytesLoaded, unservedListeners } from "./clients.ts";
import { guardsOfSets } from "./closed.ts";
import { withConflicts } from "./conflicts.ts";
import { withPermission } from "./permitted.ts";

/** Returns the reading of one of this controller's Gateways, by `namespace/name`. */
type GatewayOf = (key: string) => GatewayReading | undefined;

export class ListenerSets {
  readonly #grants: Grants;
  readonly #certificates: Certificates;
  readonly #lacks: ReadonlySet<Capability>;
  readonly #references = new Dependencies();
  /** The readings of the sets, each without regard to other objects. */
  readonly #readings = new Map<string, SetReading>();
  /** Keys of attached sets by that of their Gateway. */
  readonly #attached = new Map<string, Set<string>>();
  /** The last results of `merge`, so that readings that have not changed stay the same objects. */
  readonly #mergedSets = new WeakMap<SetReading, SetReading>();
  readonly #merged = new WeakMap<ListenerReading, ListenerReading>();
  readonly #standIns = new StandIns<ListenerSet>("ListenerSet");
  readonly #authorities = new AuthoritiesBudget();
  #hasClasses = false;
  /** Problems of sets on which Sluice failed, and of sets whose Gateway does not exist. */
  readonly #problems = new Map<string, Problem>();

  /** `lacks` are the capabilities that this nginx lacks. */
  constructor(grants: Grants, certificates: Certificates, lacks: ReadonlySet<Capability>) {
    this.#grants = grants;
    this.#certificates = certificates;
    this.#lacks = lacks;
  }

  /** Returns the Problem of a set that has no reading. */
  problem(key: string): Problem | undefined {
    return this.#problems.get(key);
  }

  /** Returns a set that is not attached. Attached sets are in the readings of their Gateways. */
  unattached(key: string): SetReading | undefined {
    const reading = this.#readings.get(key);
    return reading?.notAllowed === undefined ? undefined : reading;
  }

  gatewayOf(key: string): string | undefined {
    return this.#readings.get(key)?.gateway;
  }

  /**
   * Returns the sets that may have changed. `gateways` are Gateways that may have changed.
   * `hasClasses` says whether this controller has GatewayClasses, without which sets get no status.
   */
  outdated(turn: Turn, gateways: Iterable<string>, granting: ReadonlySet<string>, hasClasses: boolean): Set<string> {
    const { before, now } = turn;
    const afresh = turn.afresh || hasClasses !== this.#hasClasses;
    this.#hasClasses = hasClasses;
    const { listenerSets, namespaces } = now.snapshot;
    const keys = new Set(listenerSets.changesSince(before.snapshot.listenerSets).map(({ key }) => key));
    if (afresh) for (const key of [...listenerSets.keys(), ...this.#readings.keys()]) keys.add(key);
    for (const key of this.#standIns.changed(turn)) keys.add(key);
    for (const key of usersOfChanged(this.#references, "Secret", turn, "Secret ")) keys.add(key);
    const names = [
      ...[...gateways].map((key) => `Gateway ${key}`),
      ...[...granting].map((one) => `grants ${one}`),
      ...namespaces.changesSince(before.snapshot.namespaces).map(({ key }) => `Namespace ${key}`),
    ];
    for (const name of names) for (const key of this.#references.usersOf(name)) keys.add(key);
    return keys;
  }

  /** Reads sets again. Returns the Gateways that have, or had, one of them. */
  renew(keys: Iterable<string>, turn: Turn, gatewayOf: GatewayOf): Set<string> {
    const gateways = new Set<string>();
    const changed = new Set(keys);
    for (const key of changed) this.#weigh(key, turn, gatewayOf);
    for (const key of this.#authorities.settle(turn.settings)) changed.add(key);
    for (const key of changed) {
      const before = this.#readings.get(key)?.gateway;
      guarded(
        () => this.#read(key, turn, gatewayOf),
        (bug) => this.#setAside(key, bugProblem({ kind: "ListenerSet", ...nameOf(key) }, bug)),
      );
      for (const one of [before, this.#readings.get(key)?.gateway]) if (one !== undefined) gateways.add(one);
    }
    return gateways;
  }

  /**
   * Returns the reading of a Gateway with its sets, and with the conflicts between all their
   * listeners.
   */
  merge(reading: GatewayReading): GatewayReading {
    const sets = [...(this.#attached.get(reading.key) ?? [])]
      .map((key) => this.#readings.get(key)!)
      .sort((one, other) => compared(one.rank, other.rank));
    const [own, ...judged] = withConflicts([reading.listeners, ...sets.map(({ listeners }) => listeners)]);
    const merged = sets.map((set, at) => this.#mergedSet(set, judged[at]!));
    return { ...reading, listeners: own!, sets: merged };
  }

  withStandIns(objects: LastGood["objects"]): LastGood["objects"] {
    return this.#standIns.withStandIns(objects);
  }

  #mergedSet(raw: SetReading, judged: readonly ListenerReading[]): SetReading {
    if (judged === raw.listeners) return raw;
    const listeners = judged.map((one, at) => this.#mergedListener(raw.listeners[at]!, one));
    const last = this.#mergedSets.get(raw);
    if (last?.listeners.every((one, at) => one === listeners[at]) === true) return last;
    const merged = { ...raw, listeners };
    this.#mergedSets.set(raw, merged);
    return merged;
  }

  #mergedListener(raw: ListenerReading, judged: ListenerReading): ListenerReading {
    if (judged === raw) return raw;
    const last = this.#merged.get(raw);
    const isSame =
      last?.isBeaten === judged.isBeaten &&
      last.overlapsOthers === judged.overlapsOthers &&
      JSON.stringify(last.conflict) === JSON.stringify(judged.conflict);
    if (isSame) return last;
    this.#merged.set(raw, judged);
    return judged;
  }

  #setAside(key: string, problem?: Problem): void {
    this.#leave(key);
    this.#certificates.use(`listeners of ListenerSet ${key}`, []);
    if (problem === undefined) this.#problems.delete(key);
    else this.#problems.set(key, problem);
  }

  #leave(key: string): void {
    const { gateway } = this.#readings.get(key) ?? {};
    this.#readings.delete(key);
    const attached = gateway === undefined ? undefined : this.#attached.get(gateway);
    if (attached?.delete(key) === true && attached.size === 0) this.#attached.delete(gateway!);
  }

  /**
   * Weighs the authorities that the set loads on ports of its own. They belong to the Gateway, and
   * the set's namespace decides about the number of its ports.
   */
  #weigh(key: string, { now }: Turn, gatewayOf: GatewayOf): void {
    const { listenerSets, configMaps } = now.snapshot;
    const [present, good] = [listenerSets.get(key), now.lastGood.objects.get(`ListenerSet ${key}`)];
    const bytesOf = (set: ListenerSet | undefined): number => {
      const gateway = set && gatewayOf(gatewayNamed(set) ?? "")?.gateway;
      return gateway ? bytesLoaded(gateway, set.spec?.listeners ?? [], (name) => configMaps.get(name)) : 0;
    };
    // A bug here must not affect other sets.
    const bytes = guarded(
      () => Math.max(bytesOf(present), bytesOf(good as ListenerSet | undefined)),
      () => 0,
    );
    this.#authorities.set(key, present, bytes);
  }

  #read(key: string, turn: Turn, gatewayOf: GatewayOf): void {
    const { snapshot } = turn.now;
    const present = snapshot.listenerSets.get(key);
    const named = present && gatewayNamed(present);
    const isOurs = named !== undefined && gatewayOf(named) !== undefined;
    const { form, refused, isSuspected } = this.#standIns.inForce(key, isOurs ? present : undefined, turn);
    this.#references.set(key, named === undefined ? [] : [`Gateway ${named}`]);
    const set = form ?? (present && { ...present, spec: { ...present.spec, listeners: [] } });
    const gatewayKey = set && gatewayNamed(set);
    const gateway = gatewayKey === undefined ? undefined : gatewayOf(gatewayKey);
    if (present === undefined || set === undefined || !isOurs || gateway === undefined) {
      const isOrphan = named !== undefined && this.#hasClasses && !snapshot.gateways.has(named);
      this.#setAside(key, isOrphan ? orphaned(ownerOf(key), named) : undefined);
      return;
    }
    this.#leave(key);
    this.#problems.delete(key);
    const owner = ownerOf(key);
    const more = refused === undefined || isSuspected ? {} : { refused };
    const rank = `${present.metadata.creationTimestamp ?? ""} ${key}`;
    const common = { key, rank, gateway: gateway.key, set, present, ...more };
    // The Gateway's permission comes from its present form, so that a removed permission has no
    // effect any more.
    const { namespaces } = gateway.present.spec?.allowedListeners ?? {};
    const home = gateway.present.metadata.namespace ?? "default";
    const references = [`Gateway ${named}`, `Gateway ${gateway.key}`, `Namespace ${owner.namespace}`];
    const isPermitted = isSelected(namespaces ?? {}, "None", owner.namespace, home, (name) =>
      snapshot.namespaces.get(name),
    );
    if (!isPermitted || guardsOfSets(gateway.present).length > 0) {
      this.#references.set(key, references);
      this.#certificates.use(`listeners of ListenerSet ${key}`, []);
      const notAllowed = disallowed(owner, gateway.key);
      this.#readings.set(key, { ...common, notAllowed, listeners: [], unserved: [] });
      return;
    }
    const read = readListeners(owner, set, gateway.gateway, {
      grants: this.#grants,
      lacks: this.#lacks,
      secret: (name) => this.#certificates.secret(name),
      brokenSecret: (name) => this.#certificates.broken(name),
      configMap: (name) => snapshot.configMaps.get(name),
      tooMuchTrust: this.#authorities.isRefused(key)
        ? tooMuchTrust(owner, "spec.listeners", turn.settings, unservedListeners)
        : undefined,
    });
    const { secrets, namespaces: granting, problems } = read;
    const listeners = withPermission(read.listeners, home, turn.hostPolicy);
    const unserved = [...problems, ...unservedListenerFields(set, owner)];
    this.#readings.set(key, { ...common, notAllowed: undefined, listeners, unserved });
    const siblings = this.#attached.get(gateway.key) ?? new Set();
    this.#attached.set(gateway.key, siblings.add(key));
    const used = [...secrets.map((one) => `Secret ${one}`), ...granting.map((one) => `grants ${one}`)];
    this.#references.set(key, [...new Set([...references, ...used])]);
    const certificates = new Set(listeners.flatMap((one) => one.certificates));
    this.#certificates.use(`listeners of ListenerSet ${key}`, [...certificates]);
  }
}

/**
 * Returns `namespace/name` of the set's Gateway; undefined if its parent is another kind of
 * object.
 */
function gatewayNamed({ spec, metadata }: ListenerSet): string | undefined {
  const { group = gatewayGroup, kind = "Gateway", namespace, name } = spec?.parentRef ?? { name: "" };
  if (group !== gatewayGroup || kind !== "Gateway" || name === "") return undefined;
  return `${namespace ?? metadata.namespace ?? "default"}/${name}`;
}

function ownerOf(key: string): Owner {
  const { namespace = "default", name } = nameOf(key);
  return { kind: "ListenerSet", namespace, name };
}

function orphaned(object: Owner, gateway: string): Problem {
  const done = "none of its listeners is served";
  return { object, field: "spec.parentRef", ...missing("Gateway", gateway), done };
}

function disallowed(object: Owner, gateway: string): Problem {
  const why = `Gateway ${gateway} takes no ListenerSets of namespace ${object.namespace} (spec.allowedListeners)`;
  return { object, kind: "reference-forbidden", field: "spec.parentRef", why, done: "none of its listeners is served" };
}
