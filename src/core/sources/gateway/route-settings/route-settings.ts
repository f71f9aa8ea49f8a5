/**
 * All RouteSettings, the objects to which they are attached, and their combined values for a rule
 * on a listener. Each object is read again when it, an object that it refers to, or a grant that it
 * needs has changed.
 */

import { guarded } from "../../../../base/guarded.ts";
import { Dependencies } from "../../../model/dependencies.ts";
import type { PolicyTarget } from "../../../model/gateway/backend-tls-policy.ts";
import { gatewayGroup } from "../../../model/gateway/objects.ts";
import { annotatedForm, type RouteSettings, settingsPrefix, targetsOf } from "../../../model/gateway/route-settings.ts";
import type { ListenerPort } from "../../../model/listeners.ts";
import { keyOf, objectKey } from "../../../model/objects.ts";
import type { Problem } from "../../../model/problem.ts";
import { bugProblem } from "../../../model/problem.ts";
import type { Table } from "../../../model/table.ts";
import { unannotated } from "../../../policies/read.ts";
import { routeSettings } from "../../../settings/for-routes.ts";
import type { Settings } from "../../../settings/registry.ts";
import { AuthoritiesBudget, tooMuchTrust } from "../../../table/authorities.ts";
import { guardsDiffer, type LastGood } from "../../../table/last-good.ts";
import type { TranslateOptions } from "../../../table/options.ts";
import { type Turn, usersOfChanged } from "../../../table/turn.ts";
import { byCreation } from "../creation.ts";
import type { Grants } from "../grants.ts";
import { type ListenerReading, ownerOfListener } from "../reading.ts";
import { type FormInForce, StandIns } from "../stand-ins.ts";
import { bytesLoaded, listenersOf } from "./authorities.ts";
import { type Effective, effectiveOf } from "./effective.ts";
import { withOwnServers, withServerFaults } from "./own-servers.ts";
import { closed, lengthOf, readSettings, type SettingsReading } from "./reading.ts";
import { noTwins, type Twins, twinsOn } from "./twins.ts";

/** The place of a rule. */
export interface RulePlace {
  /** The route, such as `HTTPRoute shop/web`. */
  readonly route: string;
  /** The rule's name; undefined if it has none. */
  readonly rule: string | undefined;
  /** `namespace/name` of RouteSettings that its filters name, in their order. */
  readonly named: readonly string[];
  readonly listener: ListenerReading;
}

export class AllRouteSettings {
  readonly #options: TranslateOptions;
  readonly #grants: Grants;
  readonly #readings = new Map<string, SettingsReading>();
  readonly #references = new Dependencies();
  /** RouteSettings by their targets, such as `Gateway shop/public`. */
  readonly #targets = new Dependencies();
  readonly #standIns = new StandIns<RouteSettings>("RouteSettings");
  /** Combined values, by the objects from which they are made. */
  readonly #effective = new Map<string, Effective>();
  #settings: Settings | undefined;
  #common: Pick<ReadonlySet<string>, "has"> = new Set();
  #changed: ReadonlySet<string> = new Set();
  readonly #beside = new Map<string, ReadonlySet<string>>();
  readonly #authorities = new AuthoritiesBudget();
  /** The bytes that each object loads for one listener. */
  readonly #bytes = new Map<string, number>();

  constructor(options: TranslateOptions, grants: Grants) {
    this.#options = options;
    this.#grants = grants;
  }

  /**
   * Returns everything whose settings have changed: `RouteSettings namespace/name` for those that
   * filters name, and their targets, such as `Gateway shop/public`. `granting` are namespaces whose
   * grants have changed.
   */
  renew(turn: Turn, granting: ReadonlySet<string>): Set<string> {
    const { before, now, afresh } = turn;
    const table = now.snapshot.routeSettings;
    const changes = table.changesSince(before.snapshot.routeSettings).map(({ key }) => key);
    const changed = new Set([...changes, ...this.#standIns.changed(turn), ...(afresh ? table.keys() : [])]);
    for (const kind of ["Secret", "ConfigMap", "Service"] as const) {
      for (const key of usersOfChanged(this.#references, kind, turn, `${kind} `)) changed.add(key);
    }
    for (const namespace of granting) {
      for (const key of this.#references.usersOf(`grants ${namespace}`)) changed.add(key);
    }
    this.#settings = routeSettings(turn.settings);
    const former = new Map([...changed].map((key) => [key, this.#targets.usedBy(key)]));
    for (const key of changed) this.#read(key, turn);
    this.#limit(changed, turn);
    this.#changed = changed;
    if (changed.size > 0 || afresh) this.#effective.clear();
    this.#beside.clear();
    const names = new Set<string>();
    for (const key of changed) {
      const targets = [...(former.get(key) ?? []), ...this.#targets.usedBy(key)];
      this.#beside.set(key, new Set(targets.flatMap((target) => [...this.#targets.usersOf(target)])));
      for (const name of [objectKey("RouteSettings", key), ...targets]) names.add(name);
    }
    return names;
  }

  /**
   * Applies the limit of each namespace after `changed` were read, and adds the objects about which
   * it differs. One that is refused closes the rules to which it applies.
   */
  #limit(changed: Set<string>, turn: Turn): void {
    const { before, now, settings } = turn;
    const { gateways, listenerSets } = now.snapshot;
    const weighed = new Set(changed);
    const parents = [
      ...gateways.changesSince(before.snapshot.gateways).map(({ key }) => `Gateway ${key}`),
      ...listenerSets.changesSince(before.snapshot.listenerSets).map(({ key }) => `ListenerSet ${key}`),
    ];
    for (const parent of parents) for (const key of this.#targets.usersOf(parent)) weighed.add(key);
    for (const key of changed) {
      const reading = this.#readings.get(key);
      if (reading === undefined) this.#bytes.delete(key);
      else this.#bytes.set(key, bytesLoaded(reading));
    }
    for (const key of weighed) {
      const bytes = this.#bytes.get(key) ?? 0;
      const object = now.snapshot.routeSettings.get(key);
      this.#authorities.set(key, object, bytes === 0 || !object ? 0 : bytes * listenersOf(object, now.snapshot));
    }
    for (const key of this.#authorities.settle(settings)) {
      if (!changed.has(key)) this.#read(key, turn);
      changed.add(key);
    }
    for (const key of changed) {
      const present = now.snapshot.routeSettings.get(key);
      if (present === undefined || !this.#authorities.isRefused(key)) continue;
      const problem = tooMuchTrust({ kind: "RouteSettings", ...nameIn(present) }, "spec", settings, closed);
      this.#readings.set(key, failed(present, problem, this.#settings!));
    }
  }

  /** RouteSettings that have changed or are gone. */
  get changed(): ReadonlySet<string> {
    return this.#changed;
  }

  get isEmpty(): boolean {
    return this.#readings.size === 0;
  }

  /** Returns the reading of the object `namespace/name`; undefined if there is none. */
  reading(key: string): SettingsReading | undefined {
    return this.#readings.get(key);
  }

  /**
   * Returns the settings that are attached to an object such as `Gateway shop/public`, or to that
   * part of it, oldest first.
   */
  attachedTo(called: string, section: string | undefined): readonly SettingsReading[] {
    const all = [...this.#targets.usersOf(called)].flatMap((key) => this.#readings.get(key) ?? []);
    return all
      .filter(({ settings }) =>
        targetsOf(settings).some((target) => target.sectionName === section && called === calledOf(target, settings)),
      )
      .sort((one, other) => byCreation(one.settings, other.settings));
  }

  /**
   * Returns the names of settings that are attached to an object such as `Gateway shop/public`, or
   * to a part of it.
   */
  keysAt(called: string): Iterable<string> {
    return this.#targets.usersOf(called);
  }

  /** Returns the settings that have a target in common with it, or had one before it changed. */
  beside(key: string): ReadonlySet<string> {
    return this.#beside.get(key) ?? new Set();
  }

  /** Returns the values for a rule on a listener; undefined if there are none. */
  effective(place: RulePlace): Effective | undefined {
    const found = this.isEmpty ? undefined : this.#combined(this.#layersOf(place));
    return found && withServerFaults(found, place.listener, this.#common);
  }

  /** Returns the characters of the settings for all routes of a listener, given by its id. */
  lengthAt(id: string): number {
    return this.isEmpty ? 0 : lengthOf(this.#outerOf(id));
  }

  /**
   * Returns the characters of the settings for one rule of a route such as `HTTPRoute shop/web`.
   * `named` has the same meaning as in RulePlace.
   */
  lengthFor(route: string, rule: string | undefined, named: readonly string[]): number {
    return this.isEmpty ? 0 : lengthOf(this.#innerOf({ route, rule, named }));
  }

  /** Returns the www twins that the listener has for these hosts. */
  twinsOn(listener: ListenerReading, hosts: readonly string[]): Twins {
    const found = this.isEmpty ? undefined : this.#combined(this.#outerOf(listener.id));
    return found === undefined ? noTwins : twinsOn(found, listener, hosts, this.#common.has(listener.id));
  }

  /**
   * Returns the ports with the server blocks of their listeners. `before` is the last result.
   * Ingresses have blocks on the ports of `common` listeners.
   */
  serversOn(
    ports: Table<ListenerPort>,
    before: Table<ListenerPort>,
    common: ReadonlyMap<string, unknown>,
  ): Table<ListenerPort> {
    this.#common = common;
    if (this.isEmpty) return ports;
    return withOwnServers(ports, before, common, unannotated(this.#settings!), (id) =>
      this.#combined(this.#outerOf(id)),
    );
  }

  #combined(layers: readonly SettingsReading[]): Effective | undefined {
    if (layers.length === 0) return undefined;
    const called = layers.map(({ key, forRules }) => (forRules === undefined ? key : `${key}*`)).join(" ");
    const known = this.#effective.get(called);
    if (known !== undefined) return known;
    const made = effectiveOf(layers, this.#settings!);
    this.#effective.set(called, made);
    return made;
  }

  /** Returns `objects` with the last good RouteSettings that replace refused ones. */
  withStandIns(objects: LastGood["objects"]): LastGood["objects"] {
    return this.#standIns.withStandIns(objects);
  }

  /** Returns the objects that apply, the inner ones first, and each once. */
  #layersOf({ route, rule, named, listener }: RulePlace): readonly SettingsReading[] {
    const outer = this.#outerOf(listener.id);
    const inner = this.#innerOf({ route, rule, named }).map((one) =>
      outer.includes(one) ? one : (one.forRules ?? one),
    );
    return [...new Set([...inner, ...outer])];
  }

  /** Returns the objects that apply to one rule, wherever it is served. */
  #innerOf({ route, rule, named }: Omit<RulePlace, "listener">): readonly SettingsReading[] {
    return [
      ...named.flatMap((key) => this.#readings.get(key) ?? []),
      ...(rule === undefined ? [] : this.attachedTo(route, rule)),
      ...this.attachedTo(route, undefined),
    ];
  }

  /** Returns the objects that apply to a whole listener, given by its id. */
  #outerOf(id: string): readonly SettingsReading[] {
    const parent = ownerOfListener(id);
    const [namespace, gateway] = id.split("/");
    const whole = `Gateway ${namespace}/${gateway}`;
    const outer = [
      ...this.attachedTo(parent, id.slice(id.lastIndexOf("/") + 1)),
      ...this.attachedTo(parent, undefined),
      ...(parent === whole ? [] : this.attachedTo(whole, undefined)),
    ];
    return [...new Set(outer)];
  }

  #read(key: string, turn: Turn): void {
    const present = turn.now.snapshot.routeSettings.get(key);
    const inForce = this.#standIns.inForce(key, present, turn);
    if (present === undefined) {
      this.#readings.delete(key);
      this.#references.set(key, []);
      this.#targets.set(key, []);
      return;
    }
    const reading = guarded(
      () => this.#readingOf(present, inForce, turn),
      (bug) => failed(present, bugProblem({ kind: "RouteSettings", ...nameIn(present) }, bug), this.#settings!),
    );
    this.#readings.set(key, reading);
    this.#references.set(key, [...reading.references]);
    const targets = targetsOf(reading.settings).flatMap((target) => calledOf(target, present) ?? []);
    this.#targets.set(key, [...new Set(targets)]);
  }

  /**
   * Returns the reading to use. If nginx refused the present form, no request may pass that the
   * present form would stop.
   */
  #readingOf(
    present: RouteSettings,
    { form, refused, isSuspected }: FormInForce<RouteSettings>,
    { now }: Turn,
  ): SettingsReading {
    if (refused !== undefined && form === undefined) return failed(present, refused, this.#settings!);
    const world = {
      snapshot: now.snapshot,
      settings: this.#settings!,
      options: this.#options,
      grants: this.#grants,
    };
    const reading = readSettings(form ?? present, world);
    if (refused === undefined) return reading;
    const guardsMore =
      guardsDiffer(annotatedForm(form!), annotatedForm(present), settingsPrefix) ||
      JSON.stringify(targetsOf(form!)) !== JSON.stringify(targetsOf(present));
    const reported: Problem = guardsMore && refused.kind === "nginx-refused" ? { ...refused, closes: true } : refused;
    return {
      ...reading,
      settings: present,
      closed: reading.closed ?? (guardsMore ? reported : undefined),
      problems: isSuspected ? reading.problems : [reported, ...reading.problems],
    };
  }
}

/**
 * Returns the target as text, such as `Gateway shop/public`; undefined if its kind is not one of
 * the Gateway API.
 */
function calledOf({ group, kind, name }: PolicyTarget, { metadata }: RouteSettings): string | undefined {
  return group === gatewayGroup ? objectKey(kind, `${metadata.namespace ?? "default"}/${name}`) : undefined;
}

function nameIn({ metadata }: RouteSettings): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? "default", name: metadata.name };
}

/**
 * Returns the reading of an object that cannot be used at all. It closes the rules, because it may
 * be a guard.
 */
function failed(settings: RouteSettings, why: Problem, values: Settings): SettingsReading {
  const none = () => undefined;
  return {
    key: keyOf(settings),
    object: { kind: "RouteSettings", ...nameIn(settings) },
    settings,
    texts: new Map(),
    values: unannotated(values),
    closed: why,
    problems: [why],
    elsewhere: [],
    references: [],
    lookup: { secret: none, configMap: none, service: none },
  };
}
