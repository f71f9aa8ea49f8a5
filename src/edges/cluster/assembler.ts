/**
 * Turns the objects of the informers into the content of the Snapshot. It gets the keys of objects
 * that may have changed and looks each of them up again, so the order of changes does not matter.
 * One thing is easily missed: an Ingress may name a Secret whose data is not in memory yet. The
 * Ingress enters the Snapshot when the data has arrived, and its previous version stays until then.
 * Otherwise every new Ingress would serve the default certificate for a moment.
 */
import { isDeepStrictEqual } from "node:util";
import { bugWords, guarded } from "../../base/guarded.ts";
import { Dependencies } from "../../core/model/dependencies.ts";
import type { BackendTLSPolicy } from "../../core/model/gateway/backend-tls-policy.ts";
import type { DefinitionVersions } from "../../core/model/gateway/definition-versions.ts";
import type { ListenerSet } from "../../core/model/gateway/listener-set.ts";
import type { Gateway, GatewayAddress, GatewayClass } from "../../core/model/gateway/objects.ts";
import type { RouteSettings } from "../../core/model/gateway/route-settings.ts";
import {
  type ConfigMap,
  type EndpointSlice,
  type Ingress,
  type KubernetesObject,
  serviceOf,
} from "../../core/model/objects.ts";
import {
  emptySnapshot,
  type ObjectChange,
  type Snapshot,
  type SourceFailure,
  tableOf,
  type WatchedKind,
  withObjects,
} from "../../core/model/snapshot.ts";
import type { Endpoints } from "../resources.ts";
import { slicesOf } from "./endpoints.ts";
import { addressesIn, nameOnly, sameButStatus, sameContent } from "./kept.ts";
import {
  type Reference,
  referencesOfGateway,
  referencesOfGatewayClass,
  referencesOfIngress,
  referencesOfListeners,
  referencesOfPolicy,
  referencesOfRouteSettings,
  referencesOfSettings,
} from "./references.ts";
import type { WatchOptions } from "./watches.ts";

/** The objects of the informers. */
export interface Stores {
  get(kind: string, key: string): KubernetesObject | undefined;
  /** Whether only the name of this object is in memory. */
  isNameOnly(object: KubernetesObject): boolean;
  /** Returns the reason why Sluice failed on this object, whose content is not in memory then. */
  failureOf(object: KubernetesObject): string | undefined;
  /**
   * Returns all objects of these namespaces, as `Kind namespace/name`. It is called only if a
   * selector of namespaces is given.
   */
  inNamespaces(namespaces: ReadonlySet<string>): Iterable<string>;
  /** Requests or releases the data of an object; `loaded` is called when that is done. */
  load(reference: Reference): void;
}

export interface AssemblerOptions extends WatchOptions {
  /** Without a trailing slash. */
  readonly annotationsPrefix: string;
  /**
   * Returns the addresses that the last turn wants in the status of a Gateway. When exactly these
   * appear there, nothing has to be translated again.
   */
  readonly wantedAddresses?: (gateway: string) => readonly GatewayAddress[] | undefined;
}

/** Kinds whose objects refer to Secrets and ConfigMaps. */
const referring: ReadonlySet<string> = new Set([
  "Ingress",
  "Gateway",
  "GatewayClass",
  "ListenerSet",
  "BackendTLSPolicy",
  "RouteSettings",
]);

export class Assembler {
  readonly #options: AssemblerOptions;
  readonly #stores: Stores;
  readonly #named: ReadonlySet<string>;
  /** References by `Ingress namespace/name`, `ConfigMap namespace/name` and `flags`. */
  readonly #references = new Dependencies();
  readonly #loading = new Set<Reference>();
  /** The objects on which Sluice failed while it followed their references, with the reason. */
  readonly #failures = new Map<string, string>();
  #dirty = new Set<string>();
  #snapshot: Snapshot = emptySnapshot;
  #assembled: Snapshot = emptySnapshot;

  constructor(options: AssemblerOptions, stores: Stores) {
    const { settings, configMaps, secrets, services } = options.named;
    this.#options = options;
    this.#stores = stores;
    const maps = [...configMaps, ...(settings === undefined ? [] : [settings])];
    this.#named = new Set([
      ...maps.map((key) => `ConfigMap ${key}`),
      ...secrets.map((key) => `Secret ${key}`),
      ...services.flatMap((key) => [`Service ${key}`, `Endpoints ${key}`]),
    ]);
    this.#references.set("flags", [...this.#named]);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  get isLoading(): boolean {
    return this.#loading.size > 0;
  }

  isReferenced(reference: Reference): boolean {
    return this.#references.isUsed(reference);
  }

  /** Reports that the object may have changed, appeared or gone. */
  notice(kind: string, key: string): void {
    this.#dirty.add(`${kind} ${key}`);
  }

  /** Reports that requested data has arrived, or that the object does not exist any more. */
  loaded(reference: Reference): void {
    this.#loading.delete(reference);
    this.#dirty.add(reference);
    for (const user of this.#references.usersOf(reference)) this.#dirty.add(user);
  }

  /**
   * Follows the references of the reported objects. Objects that are thereby needed, or no longer
   * needed, are reported as well.
   */
  follow(): void {
    const dirty = [...this.#dirty].map(parts);
    const namespaces = new Set(dirty.flatMap(([kind, key]) => (kind === "Namespace" ? [key] : [])));
    if (namespaces.size > 0 && this.#options.watchNamespaceSelector !== undefined)
      for (const inside of this.#stores.inNamespaces(namespaces)) this.#dirty.add(inside);
    for (const name of this.#dirty) {
      const [kind, key] = parts(name);
      if (referring.has(kind) || (kind === "ConfigMap" && key === this.#options.named.settings)) this.#follow(name);
    }
  }

  /** Follows references. An object on which Sluice fails keeps those of its previous version. */
  #follow(user: string): void {
    this.#failures.delete(user);
    const object = this.#stores.get(...parts(user));
    if (object !== undefined && this.#stores.failureOf(object) !== undefined) return;
    guarded(
      () => this.#refer(user),
      (bug) => void this.#failures.set(user, bugWords(bug)),
    );
  }

  /** Puts reported changes into the Snapshot. Returns false if the Snapshot stays the same. */
  assemble(): boolean {
    const changes: ObjectChange[] = [];
    const failures: [name: string, failure: SourceFailure | undefined][] = [];
    for (const name of this.#dirty) {
      const why = this.#takeIn(name, changes);
      if (why === undefined && !this.#snapshot.failures.has(name)) continue;
      const object = this.#stores.get(...parts(name));
      failures.push([name, object && why !== undefined ? { object: nameOnly(object), why } : undefined]);
    }
    this.#dirty = new Set();
    const quiet = new Set(changes.filter((change) => this.#isExpected(change)));
    const loud = changes.filter((change) => !quiet.has(change));
    if (loud.length > 0) this.#snapshot = withObjects(this.#snapshot, loud);
    if (failures.length > 0) this.#snapshot = { ...this.#snapshot, failures: this.#snapshot.failures.with(failures) };
    const changed = this.#snapshot !== this.#assembled;
    if (quiet.size > 0) this.#snapshot = withObjects(this.#snapshot, [...quiet]);
    this.#assembled = this.#snapshot;
    return changed;
  }

  /** Sets whether the controller may see IngressClasses (RS-1.4). */
  seesClasses(sees: boolean): void {
    const ingressClasses = sees ? emptySnapshot.ingressClasses : undefined;
    if (sees !== (this.#snapshot.ingressClasses !== undefined)) this.#snapshot = { ...this.#snapshot, ingressClasses };
  }

  /** Takes in the versions of the Gateway API's definitions. */
  isDefinedBy(definitionVersions: DefinitionVersions | undefined): void {
    this.#snapshot = { ...this.#snapshot, definitionVersions };
  }

  #refer(user: string): void {
    const before = this.#references.usedBy(user);
    const wanted = this.#referencesOf(user);
    const missing = wanted.filter((reference) => !before.includes(reference) && this.#isMissing(reference));
    // While something is missing the previous version is served, so its references must stay.
    const waits = missing.length > 0 || wanted.some((reference) => this.#loading.has(reference));
    this.#references.set(user, waits ? [...new Set([...before, ...wanted])] : wanted);
    for (const reference of missing) this.#load(reference);
    for (const reference of before) if (!this.isReferenced(reference)) this.#release(reference);
    for (const reference of wanted) if (!before.includes(reference)) this.#dirty.add(reference);
  }

  #referencesOf(user: string): readonly Reference[] {
    const [kind, key] = parts(user);
    const object = this.#stores.get(kind, key);
    if (object === undefined || !this.#counts(kind, key)) return [];
    if (kind === "ConfigMap") return referencesOfSettings(object as ConfigMap);
    if (kind === "Gateway") return referencesOfGateway(object as Gateway);
    if (kind === "ListenerSet") return referencesOfListeners(object as ListenerSet);
    if (kind === "BackendTLSPolicy") return referencesOfPolicy(object as BackendTLSPolicy);
    if (kind === "RouteSettings") return referencesOfRouteSettings(object as RouteSettings);
    if (kind === "GatewayClass") return referencesOfGatewayClass(object as GatewayClass);
    return referencesOfIngress(object as Ingress, this.#options.annotationsPrefix);
  }

  #isMissing(reference: Reference): boolean {
    const object = this.#stores.get(...parts(reference));
    return object !== undefined && this.#stores.isNameOnly(object);
  }

  #load(reference: Reference): void {
    this.#loading.add(reference);
    this.#stores.load(reference);
  }

  #release(reference: Reference): void {
    this.#dirty.add(reference);
    if (this.#stores.get(...parts(reference)) !== undefined) this.#load(reference);
  }

  /**
   * Adds the changes of one object. If Sluice fails on it, it returns the reason, and the
   * previous version stays.
   */
  #takeIn(name: string, changes: ObjectChange[]): string | undefined {
    const [kind, key] = parts(name);
    const object = this.#counts(kind, key) ? this.#stores.get(kind, key) : undefined;
    const failure = object && (this.#stores.failureOf(object) ?? this.#failures.get(name));
    if (failure !== undefined) return failure;
    return guarded<string | undefined>(() => void changes.push(...this.#changesOf(name)), bugWords);
  }

  #changesOf(name: string): ObjectChange[] {
    const [kind, key] = parts(name);
    const object = this.#stores.get(kind, key);
    if (kind === "Endpoints") return this.#sliceChanges(key, object as Endpoints | undefined);
    const watched = kind as WatchedKind;
    const present = this.#snapshot[tableOf[watched]]?.get(key) as KubernetesObject | undefined;
    const wanted = object !== undefined && this.#counts(kind, key) ? this.#usable(name, object, present) : undefined;
    if (wanted === present || (wanted && present && sameContent(wanted, present))) return [];
    return [{ kind: watched, key, object: wanted }];
  }

  /** Whether a Gateway has only got the addresses in its status that it should have. */
  #isExpected({ kind, key, object }: ObjectChange): boolean {
    const present = kind === "Gateway" ? this.#snapshot.gateways.get(key) : undefined;
    if (object === undefined || present === undefined || !sameButStatus(object, present)) return false;
    return isDeepStrictEqual(addressesIn(object), this.#options.wantedAddresses?.(key));
  }

  /**
   * Returns the object, or its previous version while data that it needs is missing. Returns
   * nothing if only its name is in memory.
   */
  #usable(name: string, object: KubernetesObject, present: KubernetesObject | undefined): KubernetesObject | undefined {
    const held = object.kind === "Secret" || object.kind === "ConfigMap";
    if (held && this.#stores.isNameOnly(object)) return this.#loading.has(name) ? present : undefined;
    const waits = this.#references.usedBy(name).some((reference) => this.#loading.has(reference));
    return waits ? present : object;
  }

  #sliceChanges(key: string, object: Endpoints | undefined): ObjectChange[] {
    const slices = object !== undefined && this.#counts("Endpoints", key) ? slicesOf(object) : [];
    const changes: ObjectChange[] = [];
    for (let number = 0; ; number += 1) {
      const [sliceKey, slice] = [`${key}#${number}`, slices[number]];
      const present = this.#snapshot.endpointSlices.get(sliceKey);
      if (slice === undefined && present === undefined) return changes;
      if (slice && present && sameContent(slice, present)) continue;
      changes.push({ kind: "EndpointSlice", key: sliceKey, object: slice });
    }
  }

  /** Whether the namespace of the object is selected. */
  #counts(kind: string, key: string): boolean {
    if (this.#options.watchNamespaceSelector === undefined || !key.includes("/")) return true;
    const named = this.#named.has(`${kind} ${key}`) || this.#isSliceOfNamed(kind, key);
    return named || this.#stores.get("Namespace", key.slice(0, key.indexOf("/"))) !== undefined;
  }

  #isSliceOfNamed(kind: string, key: string): boolean {
    if (kind !== "EndpointSlice") return false;
    const slice = this.#stores.get(kind, key);
    return slice !== undefined && this.#named.has(`Service ${serviceOf(slice as EndpointSlice)}`);
  }
}

function parts(name: string): [kind: string, key: string] {
  const space = name.indexOf(" ");
  return [name.slice(0, space), name.slice(space + 1)];
}
