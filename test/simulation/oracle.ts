/**
 * The states of the API, and what nginx should answer in each of them. Each state is translated
 * from nothing, so the controllers, which translate changes, are compared with a full translation.
 */
import type { Served } from "../../src/ask/matcher/host.ts";
import type { Certificate } from "../../src/core/model/configuration.ts";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { emptySnapshot, type Snapshot, tableOf, type WatchedKind, withObjects } from "../../src/core/model/snapshot.ts";
import { Table } from "../../src/core/model/table.ts";
import type { TranslateOptions } from "../../src/core/table/options.ts";
import { translate } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import { addressesIn, kept, sameButStatus } from "../../src/edges/cluster/kept.ts";
import { type Answer, decided, type Probe } from "./answers.ts";
import type { ApiServer, Change } from "./api/server.ts";

/** The API as it was from one moment to another. */
export class ApiState {
  readonly snapshot: Snapshot;
  readonly since: number;
  /** The moment at which the next state replaced it. */
  until = Number.POSITIVE_INFINITY;
  readonly #options: TranslateOptions;
  readonly #fake: Certificate;
  #served: Served | undefined;
  readonly #answers = new Map<string, Answer>();

  constructor(
    snapshot: Snapshot,
    { since }: Pick<ApiState, "since">,
    made: { readonly options: TranslateOptions; readonly fake: Certificate },
  ) {
    this.snapshot = snapshot;
    this.since = since;
    this.#options = made.options;
    this.#fake = made.fake;
  }

  get served(): Served {
    this.#served ??= translate({ ...emptyInputs, snapshot: this.snapshot }, this.#options, this.#fake).configuration;
    return this.#served;
  }

  answer(probe: Probe): Answer {
    const key = `${probe.scheme} ${probe.host} ${probe.target}`;
    let answer = this.#answers.get(key);
    if (answer === undefined) {
      const { servers, certificates, defaultCertificate } = this.served;
      const id = servers.get(probe.host)?.certificate;
      const { fingerprint: certificate } = certificates.get(id ?? "") ?? defaultCertificate;
      answer = decided(this.served, probe, certificate).answer;
      this.#answers.set(key, answer);
    }
    return answer;
  }

  /** Drops what can be computed again. */
  rest(): void {
    this.#served = undefined;
  }
}

export interface OracleParts {
  readonly server: ApiServer;
  readonly now: () => number;
  readonly options: TranslateOptions;
  readonly fake: Certificate;
}

export class Oracle {
  readonly #parts: OracleParts;
  #states: ApiState[] = [];
  /** States that mix several moments. */
  readonly #mixed = new WeakMap<Snapshot, ApiState>();

  constructor(parts: OracleParts) {
    this.#parts = parts;
    parts.server.onChange((change) => this.#take(change));
  }

  /** Begins with what the server has now. */
  start(): void {
    const { server } = this.#parts;
    let snapshot: Snapshot = { ...emptySnapshot, definitionVersions: versionsOf() };
    for (const kind of Object.keys(tableOf) as WatchedKind[])
      snapshot = withObjects(
        snapshot,
        server.all(kind).map((object) => ({ kind, key: keyOf(object), object: kept(object) })),
      );
    this.#add(snapshot);
  }

  get newest(): ApiState {
    return this.#states.at(-1)!;
  }

  /** Returns the states that were in force at some moment from `since` on. */
  from(since: number): readonly ApiState[] {
    return this.#states.filter(({ until }) => until >= since);
  }

  /** Changes the addresses of names. */
  names(name: string, addresses: readonly string[]): void {
    const { snapshot } = this.newest;
    this.#add({ ...snapshot, addresses: snapshot.addresses.with([[name, addresses]]) });
  }

  /** Takes all kinds with definitions away, or back. */
  definitions(): void {
    const { server } = this.#parts;
    let { snapshot } = this.newest;
    for (const kind of Object.keys(tableOf) as WatchedKind[]) {
      if (!isOptional(kind)) continue;
      const objects = server.hasDefinitions ? server.all(kind) : [];
      snapshot = { ...snapshot, [tableOf[kind]]: Table.from(objects.map((one) => [keyOf(one), kept(one)] as const)) };
    }
    this.#add({ ...snapshot, definitionVersions: server.hasDefinitions ? versionsOf() : undefined });
  }

  /**
   * Returns what a controller has seen as a state. Each kind arrives by itself, so it may mix
   * several moments. Returns undefined if a part of it is of none of these states.
   */
  mixed(seen: Snapshot, states: readonly ApiState[]): ApiState | undefined {
    for (const table of [...Object.values(tableOf), "addresses"] as const) {
      const isOld = (key: string, object: unknown) =>
        !states.some(({ snapshot }) => textOf(snapshot[table]?.get(key)) === textOf(object));
      const isHeld = table === "secrets" || table === "configMaps";
      for (const [key, object] of entriesOf(seen[table])) if (isOld(key, object)) return undefined;
      // The data of Secrets and ConfigMaps to which nothing refers is not kept.
      if (isHeld) continue;
      const missing = entriesOf(states.at(-1)!.snapshot[table]).filter(([key]) => !seen[table]?.has(key));
      if (missing.some(([key]) => isOld(key, undefined))) return undefined;
    }
    let state = this.#mixed.get(seen);
    if (state === undefined) {
      state = new ApiState(seen, { since: 0 }, this.#parts);
      this.#mixed.set(seen, state);
    }
    return state;
  }

  #take({ kind, key, before, after }: Change): void {
    if (!(kind in tableOf) || this.#states.length === 0) return;
    if (isOptional(kind) && !this.#parts.server.hasDefinitions) return;
    const [old, now] = [before && kept(before), after && kept(after)];
    const isStatus = old && now && sameButStatus(old, now) && sameAddresses(old, now);
    if (isStatus) return;
    this.#add(withObjects(this.newest.snapshot, [{ kind: kind as WatchedKind, key, object: now }]));
  }

  #add(snapshot: Snapshot): void {
    const since = this.#parts.now();
    const last = this.#states.at(-1);
    if (last !== undefined) last.until = since;
    this.#states.push(new ApiState(snapshot, { since }, this.#parts));
  }
}

const entries = new WeakMap<object, readonly (readonly [string, unknown])[]>();

/** Returns the entries of a table. They are kept, because a walk through a table is slow. */
function entriesOf(table: Table<unknown> | undefined): readonly (readonly [string, unknown])[] {
  if (table === undefined) return [];
  const found = entries.get(table) ?? [...table];
  entries.set(table, found);
  return found;
}

const texts = new WeakMap<object, string>();

/** Returns a text that is equal for objects that are equal for the translation. */
function textOf(object: unknown): string {
  if (object === undefined || (Array.isArray(object) && object.length === 0)) return "";
  let text = texts.get(object as object);
  if (text === undefined) {
    const { metadata, status: _, ...rest } = object as KubernetesObject & { readonly status?: unknown };
    const { resourceVersion: __, generation: ___, ...named } = metadata ?? {};
    text = JSON.stringify(Array.isArray(object) ? object : sorted({ ...rest, metadata: named }));
    texts.set(object as object, text);
  }
  return text;
}

/** Returns the value with the fields of all objects in their order. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]));
}

export const isOptional = (kind: string): boolean =>
  /^(Gateway|HTTPRoute|GRPCRoute|T..Route|UDPRoute|ReferenceGrant|ListenerSet|BackendTLSPolicy|RouteSettings)/.test(
    kind,
  );

const keyOf = ({ metadata: { namespace, name } }: KubernetesObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

const sameAddresses = (one: KubernetesObject, other: KubernetesObject): boolean =>
  JSON.stringify(addressesIn(one)) === JSON.stringify(addressesIn(other));

/** The versions of the definitions, as discovery finds them. */
const versionsOf = (): Snapshot["definitionVersions"] => new Map([["gateways.gateway.networking.k8s.io", "v1.5.0"]]);
