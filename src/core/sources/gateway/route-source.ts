/**
 * Makes Claims on the hosts of listeners from the routes of one kind that are attached to this
 * controller's Gateways.
 */
import { Dependencies } from "../../model/dependencies.ts";
import type { Route } from "../../model/gateway/objects.ts";
import type { DesiredParentStatus, DesiredStatus } from "../../model/gateway/status.ts";
import { kindAndKey, objectKey } from "../../model/objects.ts";
import type { Claim } from "../../table/claim.ts";
import type { ClaimSource } from "../../table/claims.ts";
import type { Contested } from "../../table/hosts/listener/contested.ts";
import type { LastGood } from "../../table/last-good.ts";
import type { TranslateOptions } from "../../table/options.ts";
import type { Problems } from "../../table/problems.ts";
import { type Turn, usersOfChanged } from "../../table/turn.ts";
import { ignoredProblems, unknownIn } from "../../table/unknown-fields.ts";
import type { BackendTlsPolicies } from "./backend-tls/policies.ts";
import type { RefusedHosts } from "./budget/refused-hosts.ts";
import { RouteBudget } from "./budget/route-budget.ts";
import type { Gateways } from "./gateways.ts";
import type { Grants } from "./grants.ts";
import { defaultGateways, usesDefaults } from "./listener/default-gateways.ts";
import { type Attachment, attachmentsOf, parentsNamed } from "./route/attach.ts";
import { besideOf } from "./route/beside.ts";
import { claimOf, isOtherRoute } from "./route/claimed.ts";
import { hostsOf, wantedHosts } from "./route/hosts.ts";
import { orphanProblems, problemsOf, type RouteName } from "./route/problems.ts";
import type { RouteReader } from "./route/reader.ts";
import type { RulesRead } from "./route/rules.ts";
import { inShadow, isAccepted, parentStatus, withNotes } from "./route/status.ts";
import { servicesNamed } from "./route/targets.ts";
import type { AllRouteSettings } from "./route-settings/route-settings.ts";
import { ServiceUsers } from "./service-users.ts";
import { StandIns } from "./stand-ins.ts";
import { ignoredInRoute } from "./types/in-routes.ts";

/** The parts that are needed to read routes. */
export interface RouteSources {
  readonly grants: Grants;
  readonly gateways: Gateways;
  readonly policies: BackendTlsPolicies;
  readonly settings: AllRouteSettings;
  /** Shared by the kinds of routes for requests; absent for streams, which have no guards. */
  readonly refused?: RefusedHosts | undefined;
}

/** The parts of the Gateway API that have changed. */
export interface Different {
  /** Changed parents, such as `Gateway shop/public` or `ListenerSet shop/more`. */
  readonly parents: ReadonlySet<string>;
  /** Namespaces whose grants have changed. */
  readonly granting: ReadonlySet<string>;
  /** Services whose policies have changed, as `namespace/name`. */
  readonly services: ReadonlySet<string>;
  /** `RouteSettings namespace/name`, and their targets, such as `HTTPRoute shop/web`. */
  readonly settings: ReadonlySet<string>;
}

export class RouteSource<R extends Route = Route> implements ClaimSource {
  readonly kind: string;
  readonly #reader: RouteReader<R>;
  readonly #options: TranslateOptions;
  readonly #problems: Problems;
  readonly #grants: Grants;
  readonly #gateways: Gateways;
  readonly #policies: BackendTlsPolicies;
  readonly #settings: AllRouteSettings;
  readonly #references = new Dependencies();
  /** Routes by the ids of the listeners to which they are attached. */
  readonly #attached = new Dependencies();
  readonly users = new ServiceUsers();
  readonly #parents = new Map<string, readonly DesiredParentStatus[]>();
  readonly #changedStatus = new Set<string>();
  readonly #touched = new Set<string>();
  readonly #counted = new Set<string>();
  readonly #standIns: StandIns<R>;
  readonly #budget: RouteBudget<R>;
  readonly #refused: RefusedHosts | undefined;
  #weighed: ReadonlySet<string> = new Set();
  #outdated: Iterable<string> = [];
  #hasClasses = false;
  #isAnyOutdated = false;

  constructor(reader: RouteReader<R>, options: TranslateOptions, problems: Problems, sources: RouteSources) {
    this.kind = reader.kind;
    this.#reader = reader;
    this.#standIns = new StandIns<R>(reader.kind);
    this.#options = options;
    this.#problems = problems;
    this.#grants = sources.grants;
    this.#gateways = sources.gateways;
    this.#policies = sources.policies;
    this.#settings = sources.settings;
    this.#refused = sources.refused;
    this.#budget = new RouteBudget<R>(reader.kind, sources.gateways, sources.settings);
  }

  begin({ parents, granting, services, settings }: Different): void {
    this.#changedStatus.clear();
    this.#touched.clear();
    this.users.begin();
    this.#counted.clear();
    const hasClasses = this.#gateways.classes.size > 0;
    this.#isAnyOutdated = hasClasses !== this.#hasClasses;
    this.#hasClasses = hasClasses;
    const names = [
      ...parents,
      ...settings,
      ...[...granting].map((one) => `grants ${one}`),
      ...[...services].map((key) => `Service ${key}`),
    ];
    const own = [...settings].map(kindAndKey).flatMap(([kind, key]) => (kind === this.kind ? [key] : []));
    this.#outdated = [...own, ...names.flatMap((name) => [...this.#references.usersOf(name)])];
  }

  /** Decides which routes are refused, before routes of any kind are read. */
  weigh(turn: Turn): void {
    const { snapshot } = turn.now;
    const formOf = (key: string) => this.#standIns.inForce(key, this.#reader.table(snapshot).get(key), turn).form;
    const attachments = (route: R) => this.#attachments(route, turn);
    this.#weighed = this.#budget.renew(this.#outdatedIn(turn), turn, formOf, attachments);
    for (const key of this.#weighed) {
      const route = this.#budget.isRefused(key) ? formOf(key) : undefined;
      const hosts = route && this.#isServing(route) ? wantedHosts(route, attachments(route)) : undefined;
      this.#refused?.set(this.kind, key, hosts && { hosts });
    }
  }

  changed(): Set<string> {
    const namespaces = this.#refused?.changed;
    if (namespaces === undefined || namespaces.size === 0) return new Set(this.#weighed);
    const beside = [...this.#parents.keys()].filter((key) => namespaces.has(key.slice(0, key.indexOf("/"))));
    return new Set([...this.#weighed, ...beside]);
  }

  /** Whether the route is no shadow, which serves nothing. */
  #isServing(route: R): boolean {
    const object = this.#nameOf(route);
    return !besideOf(route, { object, isCommon: true, prefix: this.#options.annotationsPrefix }).isShadow;
  }

  #outdatedIn(turn: Turn): Set<string> {
    const { before, now, afresh } = turn;
    const { namespaces } = now.snapshot;
    const routes = this.#reader.table(now.snapshot);
    const changes = routes.changesSince(this.#reader.table(before.snapshot));
    const standing = this.#standIns.changed(turn);
    for (const { key } of changes) this.#changedStatus.add(key);
    if (afresh || this.#isAnyOutdated)
      return new Set([...this.#parents.keys(), ...routes.keys(), ...changes.map(({ key }) => key)]);
    const keys = new Set([...this.#outdated, ...standing]);
    for (const { key, before: old, after } of changes) if (isOtherRoute(old, after)) keys.add(key);
    for (const key of usersOfChanged(this.#references, "Service", turn, "Service ")) keys.add(key);
    for (const { key } of namespaces.changesSince(before.snapshot.namespaces)) {
      for (const route of this.#references.usersOf(`Namespace ${key}`)) keys.add(route);
    }
    return keys;
  }

  claim(key: string, turn: Turn): Claim | undefined {
    this.#changedStatus.add(key);
    const { snapshot } = turn.now;
    const present = this.#reader.table(snapshot).get(key);
    const { form: route, refused, isSuspected } = this.#standIns.inForce(key, present, turn);
    const refusals = refused === undefined || isSuspected ? [] : [refused];
    if (route === undefined) {
      this.setAside(key);
      this.#problems.replace(`${this.kind} ${key}`, refusals);
      if (present === undefined) return undefined;
      this.#refer(key, this.#referencesOf(present, false));
      const parents = this.#attachments(present, turn).map((one) => parentStatus(one, nothing, refused));
      this.#parents.set(key, parents);
      return undefined;
    }
    const object = this.#nameOf(route);
    const attachments = this.#budget.left(key, object, this.#attachments(route, turn), turn);
    const used = new Set<string>();
    const unknown = unknownIn(route);
    const world = {
      object,
      unknown,
      grants: this.#grants,
      service: (name: string) => {
        used.add(name);
        return snapshot.services.get(name);
      },
      policy: (service: string, port: string | undefined) => this.#policies.governing(service, port),
      hasSettings: (name: string) => this.#settings.reading(name) !== undefined,
      redirects: (name: string) => this.#settings.reading(name)?.values.redirects.elsewhere !== undefined,
      lacks: this.#options.lacks,
      useHttp2: turn.settings.useHttp2,
      headerSettings: turn.settings,
    };
    const isCommon = this.#gateways.placement.isCommon(attachments.flatMap((one) => one.listeners));
    const beside = besideOf(route, { object, isCommon, prefix: this.#options.annotationsPrefix });
    const isRead = attachments.length > 0 && !this.#budget.isRefused(key);
    const read = isRead ? this.#reader.rules(route, world, attachments) : nothing;
    const ignored = isRead ? ignoredProblems(object, ignoredInRoute(unknown)) : [];
    const rules = { ...read, notes: [...read.notes, ...ignored, ...beside.notes] };
    this.users.use(key, used, attachments);
    this.#refer(key, this.#referencesOf(route, attachments.length > 0));
    this.#parents.set(
      key,
      attachments.map((one) => {
        const status = parentStatus(one, rules, refusals[0]);
        return beside.isShadow ? inShadow(status) : status;
      }),
    );
    this.#attach(
      key,
      attachments.filter((one) => isAccepted(one, rules)),
    );
    const { hosts, conflicts } = hostsOf(route, attachments, rules.paths, {
      ...{ object, gateways: this.#gateways, settings: this.#settings, refused: this.#refused, turn },
      isShadow: beside.isShadow,
    });
    this.#problems.replace(`${this.kind} ${key}`, [
      ...refusals,
      ...(this.#hasClasses ? orphanProblems(object, route, snapshot) : []),
      ...problemsOf(object, route, attachments, rules),
      ...conflicts,
    ]);
    return hosts.size === 0 ? undefined : claimOf(object, route, hosts, beside.share, turn);
  }

  setAside(key: string): void {
    this.#refer(key, []);
    this.#attach(key, []);
    this.users.use(key, [], []);
    this.#parents.delete(key);
  }

  /** Returns `objects` with the last good routes that replace refused ones. */
  withStandIns(objects: LastGood["objects"]): LastGood["objects"] {
    return this.#standIns.withStandIns(objects);
  }

  /** Returns the routes whose filters name these settings, given by `namespace/name`. */
  usersOf(settings: string): readonly string[] {
    return [...this.#references.usersOf(objectKey("RouteSettings", settings))];
  }

  /** Whether the route, given by `namespace/name`, has a parent of this controller. */
  isOurs(key: string): boolean {
    return (this.#parents.get(key) ?? []).length > 0;
  }

  /** Routes whose statuses may have changed. */
  get changedRoutes(): ReadonlySet<string> {
    return this.#changedStatus;
  }

  /** RouteSettings that filters of such routes name, or named before, by `namespace/name`. */
  get settingsOfChanged(): ReadonlySet<string> {
    return this.#touched;
  }

  /** Returns the number of accepted routes of a listener. */
  attached(id: string): number {
    return [...this.#attached.usersOf(id)].length;
  }

  /** Listeners whose routes have changed in this turn. */
  get counted(): ReadonlySet<string> {
    return this.#counted;
  }

  /** Returns the statuses that may have changed. */
  statuses({ now }: Turn, contested: Contested): [string, DesiredStatus | undefined][] {
    const keys = new Set([...this.#changedStatus, ...contested.changed(this.kind)]);
    return [...keys].map((key) => {
      const object = this.#reader.table(now.snapshot).get(key);
      const problems = contested.of(this.kind, key);
      const parents = (this.#parents.get(key) ?? []).map((parent) => withNotes(parent, problems));
      const { controllerName } = this.#options.gateway;
      const isNamed = object?.status?.parents?.some((one) => one.controllerName === controllerName) === true;
      const isOurs = object !== undefined && (parents.length > 0 || isNamed);
      return [objectKey(this.kind, key), isOurs ? { kind: "route", object, parents } : undefined];
    });
  }

  #attachments(route: R, { now, hostPolicy }: Turn): Attachment[] {
    return attachmentsOf(route, {
      kind: this.kind,
      parent: (called) => this.#gateways.parent(called),
      defaults: this.#gateways.defaults.keys,
      namespace: (name) => now.snapshot.namespaces.get(name),
      hostPolicy,
    });
  }

  #refer(key: string, references: readonly string[]): void {
    for (const one of [...this.#references.usedBy(key), ...references]) {
      const [kind, name] = kindAndKey(one);
      if (kind === "RouteSettings") this.#touched.add(name);
    }
    this.#references.set(key, references);
  }

  #attach(key: string, attachments: readonly Attachment[]): void {
    const ids = new Set(attachments.flatMap(({ listeners }) => listeners.map(({ id }) => id)));
    const before = this.#attached.usedBy(key);
    for (const id of before) if (!ids.has(id)) this.#counted.add(id);
    for (const id of ids) if (!before.includes(id)) this.#counted.add(id);
    this.#attached.set(key, [...ids]);
  }

  #referencesOf(route: R, isOurs: boolean): readonly string[] {
    const { namespace = "default" } = route.metadata;
    const parents = parentsNamed(route, this.#gateways.defaults.keys);
    if (usesDefaults(route)) parents.push(defaultGateways);
    if (!isOurs) return parents;
    const references = this.#reader.references(route);
    const strange = references.flatMap((one) => (one.namespace === undefined ? [] : [`grants ${one.namespace}`]));
    const services = servicesNamed(references, namespace).map((key) => `Service ${key}`);
    const settings = this.#reader.settings?.(route).map((key) => objectKey("RouteSettings", key)) ?? [];
    return [...new Set([...parents, `Namespace ${namespace}`, ...services, ...strange, ...settings])];
  }

  #nameOf({ metadata: { namespace = "default", name } }: R): RouteName {
    return { kind: this.kind, namespace, name };
  }
}

const nothing: RulesRead = { paths: [], unresolved: [], invalid: [], isVoid: false, notes: [] };
