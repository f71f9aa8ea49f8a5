/** The routes of one kind that are attached to Gateways of ours, as Claims on the hosts of listeners. */
import { Dependencies } from "../../model/dependencies.ts";
import type { Route } from "../../model/gateway/objects.ts";
import type { DesiredParentStatus, DesiredStatus } from "../../model/gateway/status.ts";
import { serverKey } from "../../model/listeners.ts";
import { kindAndKey, objectKey } from "../../model/objects.ts";
import type { ObjectName, Problem } from "../../problem.ts";
import { ageOf } from "../age.ts";
import type { Claim, ClaimedPath } from "../claim.ts";
import type { ClaimSource } from "../claims.ts";
import type { LastGood } from "../last-good.ts";
import type { TranslateOptions } from "../options.ts";
import type { Problems } from "../problems.ts";
import { type Turn, usersOfChanged } from "../turn.ts";
import { withIdentity } from "./backend-tls/identity.ts";
import type { BackendTlsPolicies } from "./backend-tls/policies.ts";
import type { Gateways } from "./gateways.ts";
import type { Grants } from "./grants.ts";
import { type Attachment, attachmentsOf, hostsOn, parentsNamed } from "./route/attach.ts";
import { servicesNamed } from "./route/backends.ts";
import type { RouteReader } from "./route/reader.ts";
import type { RulesRead } from "./route/rules.ts";
import { isAccepted, parentStatus } from "./route/status.ts";
import { routeFeatures } from "./route-features.ts";
import { ServiceUsers } from "./service-users.ts";
import { StandIns } from "./stand-ins.ts";

/** What routes are read by. */
export interface RouteSources {
  readonly grants: Grants;
  readonly gateways: Gateways;
  readonly policies: BackendTlsPolicies;
}

/** What of the Gateway API is otherwise than before. */
export interface Different {
  /** Like `Gateway shop/public` or `ListenerSet shop/more`. */
  readonly parents: ReadonlySet<string>;
  /** Namespaces with other grants. */
  readonly granting: ReadonlySet<string>;
  /** Services with other policies, as `namespace/name`. */
  readonly services: ReadonlySet<string>;
}

export class RouteSource<R extends Route = Route> implements ClaimSource {
  readonly kind: string;
  readonly #reader: RouteReader<R>;
  readonly #options: TranslateOptions;
  readonly #problems: Problems;
  readonly #grants: Grants;
  readonly #gateways: Gateways;
  readonly #policies: BackendTlsPolicies;
  readonly #references = new Dependencies();
  /** Routes by the ids of the listeners that they are attached to. */
  readonly #attached = new Dependencies();
  readonly users = new ServiceUsers();
  readonly #parents = new Map<string, readonly DesiredParentStatus[]>();
  readonly #changedStatus = new Set<string>();
  readonly #counted = new Set<string>();
  readonly #standIns: StandIns<R>;
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
  }

  begin({ parents, granting, services }: Different): void {
    this.#changedStatus.clear();
    this.users.begin();
    this.#counted.clear();
    const hasClasses = this.#gateways.classes.size > 0;
    this.#isAnyOutdated = hasClasses !== this.#hasClasses;
    this.#hasClasses = hasClasses;
    const names = [
      ...parents,
      ...[...granting].map((one) => `grants ${one}`),
      ...[...services].map((key) => `Service ${key}`),
    ];
    this.#outdated = names.flatMap((name) => [...this.#references.usersOf(name)]);
  }

  changed(turn: Turn): Set<string> {
    const { before, now, afresh } = turn;
    const { namespaces } = now.snapshot;
    const routes = this.#reader.table(now.snapshot);
    const changes = routes.changesSince(this.#reader.table(before.snapshot));
    const standing = this.#standIns.changed(turn);
    for (const { key } of changes) this.#changedStatus.add(key);
    if (afresh || this.#isAnyOutdated)
      return new Set([...this.#parents.keys(), ...routes.keys(), ...changes.map(({ key }) => key)]);
    const keys = new Set([...this.#outdated, ...standing]);
    for (const { key, before: old, after } of changes) if (asksForOther(old, after)) keys.add(key);
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
      this.#problems.tell(`${this.kind} ${key}`, refusals);
      if (present === undefined) return undefined;
      this.#references.set(key, this.#referencesOf(present, false));
      const parents = this.#attachments(present, turn).map((one) => parentStatus(one, nothing, refused));
      this.#parents.set(key, parents);
      return undefined;
    }
    const object = this.#nameOf(route);
    const attachments = this.#attachments(route, turn);
    const used = new Set<string>();
    const world = {
      object,
      grants: this.#grants,
      service: (name: string) => {
        used.add(name);
        return snapshot.services.get(name);
      },
      policy: (service: string, port: string | undefined) => this.#policies.governing(service, port),
      lacks: this.#options.lacks,
    };
    const rules = attachments.length === 0 ? nothing : this.#reader.rules(route, world, attachments);
    this.users.use(key, used, attachments);
    this.#references.set(key, this.#referencesOf(route, attachments.length > 0));
    this.#parents.set(
      key,
      attachments.map((one) => parentStatus(one, rules, refusals[0])),
    );
    this.#attach(
      key,
      attachments.filter((one) => isAccepted(one, rules)),
    );
    this.#problems.tell(`${this.kind} ${key}`, [
      ...refusals,
      ...this.#orphaned(route, turn),
      ...problemsOf(object, route, attachments, rules),
    ]);
    const hosts = this.#hostsOf(route, attachments, rules.paths);
    return hosts.size === 0 ? undefined : claimOf(object, route, hosts, turn);
  }

  setAside(key: string): void {
    this.#references.set(key, []);
    this.#attach(key, []);
    this.users.use(key, [], []);
    this.#parents.delete(key);
  }

  /** `objects` with the last good routes that stand in for refused ones. */
  keepIn(objects: LastGood["objects"]): LastGood["objects"] {
    return this.#standIns.keepIn(objects);
  }

  /** How many accepted routes a listener has. */
  attached(id: string): number {
    return [...this.#attached.usersOf(id)].length;
  }

  /** Listeners whose routes have changed in this turn. */
  get counted(): ReadonlySet<string> {
    return this.#counted;
  }

  /** The statuses that may be others now. */
  statuses({ now }: Turn): [string, DesiredStatus | undefined][] {
    return [...this.#changedStatus].map((key) => {
      const object = this.#reader.table(now.snapshot).get(key);
      const parents = this.#parents.get(key) ?? [];
      const { controllerName } = this.#options.gateway;
      const isNamed = object?.status?.parents?.some((one) => one.controllerName === controllerName) === true;
      const isOurs = object !== undefined && (parents.length > 0 || isNamed);
      return [objectKey(this.kind, key), isOurs ? { kind: "route", object, parents } : undefined];
    });
  }

  #attachments(route: R, { now }: Turn): Attachment[] {
    return attachmentsOf(route, {
      kind: this.kind,
      parent: (called) => this.#gateways.parent(called),
      namespace: (name) => now.snapshot.namespaces.get(name),
    });
  }

  #attach(key: string, attachments: readonly Attachment[]): void {
    const ids = new Set(attachments.flatMap(({ listeners }) => listeners.map(({ id }) => id)));
    const before = this.#attached.usedBy(key);
    for (const id of before) if (!ids.has(id)) this.#counted.add(id);
    for (const id of ids) if (!before.includes(id)) this.#counted.add(id);
    this.#attached.set(key, [...ids]);
  }

  #hostsOf(
    { spec }: R,
    attachments: readonly Attachment[],
    paths: readonly ClaimedPath[],
  ): ReadonlyMap<string, readonly ClaimedPath[]> {
    const hosts = new Map<string, readonly ClaimedPath[]>();
    if (paths.length === 0) return hosts;
    const hostnames = (spec?.hostnames ?? []).map((hostname) => hostname.toLowerCase());
    for (const { parent, listeners } of attachments) {
      const own = withIdentity(paths, this.#gateways.identity(parent.gateway));
      for (const listener of listeners) {
        if (!this.#gateways.isServed(listener)) continue;
        for (const name of hostsOn(listener, hostnames)) hosts.set(serverKey({ listener: listener.id, name }), own);
      }
    }
    return hosts;
  }

  #referencesOf(route: R, isOurs: boolean): readonly string[] {
    const { namespace = "default" } = route.metadata;
    const parents = parentsNamed(route);
    if (!isOurs) return parents;
    const references = this.#reader.references(route);
    const strange = references.flatMap((one) => (one.namespace === undefined ? [] : [`grants ${one.namespace}`]));
    const services = servicesNamed(references, namespace).map((key) => `Service ${key}`);
    return [...new Set([...parents, `Namespace ${namespace}`, ...services, ...strange])];
  }

  #nameOf({ metadata: { namespace = "default", name } }: R): RouteName {
    return { kind: this.kind, namespace, name };
  }

  /** Parents that are nowhere. Others serve those of other classes. */
  #orphaned(route: R, { now }: Turn): Problem[] {
    if (!this.#hasClasses) return [];
    const { gateways, listenerSets } = now.snapshot;
    return parentsNamed(route).flatMap((parent): Problem[] => {
      const [kind, key] = kindAndKey(parent);
      if ((kind === "Gateway" ? gateways : listenerSets).has(key)) return [];
      const done = "the route is not attached there";
      const why = `${parent} not found`;
      return [{ object: this.#nameOf(route), kind: "field-unusable", field: "spec.parentRefs", why, done }];
    });
  }
}

type RouteName = ObjectName & { readonly namespace: string };

const nothing: RulesRead = { paths: [], unresolved: [], invalid: [], isVoid: false, notes: [] };

/** Whether a version asks for something else than the one before it: not where only its status differs. */
function asksForOther(before: Route | undefined, after: Route | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return JSON.stringify(askedBy(before)) !== JSON.stringify(askedBy(after));
}

function askedBy({ metadata: { uid, creationTimestamp, annotations }, spec }: Route) {
  return [uid, creationTimestamp, annotations, spec];
}

function problemsOf(
  object: RouteName,
  { spec }: Route,
  attachments: readonly Attachment[],
  rules: RulesRead,
): Problem[] {
  const faults = attachments.flatMap(({ fault }) => fault ?? []);
  const problems = [...faults, ...rules.unresolved, ...rules.invalid].map(({ problem }) => problem);
  const notes = [...rules.notes];
  if (attachments.length > 0 && (spec?.useDefaultGateways ?? "None") !== "None") {
    const done = "the route is attached to the Gateways that spec.parentRefs names";
    const why = "is not served yet";
    notes.push({ object, kind: "field-unusable", field: "spec.useDefaultGateways", why, done });
  }
  return [...new Map([...problems, ...notes].map((one) => [JSON.stringify(one), one])).values()];
}

function claimOf(owner: RouteName, route: Route, hosts: Claim["hosts"], { settings }: Turn): Claim {
  const { metadata } = route;
  return {
    key: `${owner.kind} ${owner.namespace}/${owner.name}`,
    owner,
    uid: metadata.uid,
    since: ageOf(route),
    annotations: metadata.annotations ?? {},
    features: routeFeatures(settings),
    closed: undefined,
    hosts,
    defaultBackend: undefined,
    answersUnknownHosts: false,
    tls: [],
  };
}
