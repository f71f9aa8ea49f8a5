/**
 * Renders a Configuration for nginx: nginx.conf with its files, and the records of shared memory.
 * The Renderer caches its results for each noun, and knows the shapes of the last text: a route
 * whose shape is among them is only data, and a new shape is a reload. A shape that no route names
 * any more stays until a reload has another reason.
 */

import { guarded } from "../../../base/guarded.ts";
import type { Configuration, Server } from "../../model/configuration.ts";
import { Dependencies } from "../../model/dependencies.ts";
import { pairRecord } from "../../model/pair-record.ts";
import { pairKey, patternsKey, shadowRecordKey, stapleKey, upstreamKey } from "../../model/records.ts";
import { Table } from "../../model/table.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import type { ShapesOf } from "../conf/source-map.ts";
import { dataSlot, gatewaySlot, isGatewaySlot, type Slot, textServerOf, twinServerOf } from "../conf/text-servers.ts";
import { FailedServers } from "../failed-servers.ts";
import { authorsOf } from "../gateway/divided-ports.ts";
import { shadowRecord } from "../gateway/host-record.ts";
import { listenedOn, listenerSlots } from "../gateway/listen.ts";
import { scopeRecords } from "../gateway/scope-records.ts";
import {
  type Circumstances,
  type Rendered,
  type RenderedText,
  type Renderer,
  usualCircumstances,
} from "../rendering.ts";
import { recordsBytesOf } from "../settings/shared-dictionaries.ts";
import { frontsOf } from "../streams/fronts.ts";
import { hasEndpointsAsData, streamRecords, withoutEndpoints } from "../streams/pools.ts";
import type { Template } from "../template.ts";
import { type HostPattern, patternsOf, patternsRecord } from "./host-patterns.ts";
import { RecordChanges } from "./record-changes.ts";
import { memoryFor } from "./record-memory.ts";
import { defaultPair, serverRecords, upstreamRecord } from "./records.ts";
import { type Shape, Shapes } from "./shape.ts";
import { type DynamicText, dynamicText, hashesOf } from "./text.ts";
import { TextHosts } from "./text-hosts.ts";
import { leavesRest, type RoutedTextServer, textLocationsOf } from "./text-locations.ts";
import { placeOf, UsedShapes } from "./used-shapes.ts";

type Whole = Configuration<Settings, FeatureValues>;

export class DynamicRenderer implements Renderer {
  readonly #machine: Machine;
  #template: Template;
  #shapes: Shapes | undefined;
  /** Whether requests may arrive through the stream module. */
  #isBehind = false;
  #last: Whole | undefined;
  #text: DynamicText | undefined;
  readonly #records: Map<string, string>;
  readonly #serverParts = new Map<string, ServerParts>();
  #textHosts = new TextHosts();
  readonly #patterns = new Map<string, readonly HostPattern[]>();
  /** Text servers by host: its own, and that of its www twin if there is one. */
  readonly #textServers = new Map<string, readonly RoutedTextServer[]>();
  readonly #used = new UsedShapes();
  /** The Servers to whose Locations the routes of others lead. */
  readonly #references = new Dependencies();
  readonly #failed = new FailedServers();
  #scopes: ReadonlyMap<string, string> = new Map();
  /** The server that has the routes of a listener, by the listener's id. */
  #slots: ReadonlyMap<string, Slot> = new Map();
  readonly #builtIn: Template;
  #bytes = 0;

  /** `records` come from the journal: shared memory may already have them. */
  constructor(machine: Machine, template: Template, records: ReadonlyMap<string, string> = new Map()) {
    this.#machine = machine;
    this.#template = template;
    this.#builtIn = template;
    this.#records = new Map(records);
  }

  /** Uses another template, with which all text is rendered again. */
  use(template: Template): void {
    this.#template = template;
    this.#shapes = undefined;
  }

  /** Throws a TemplateError if the template uses an undefined name. */
  render(next: Whole, circumstances: Circumstances = usualCircumstances): Rendered {
    const changes = new RecordChanges();
    const fronts = frontsOf(next.streams, listenedOn(next.listenerPorts), this.#machine);
    const isOther = this.#last?.settings !== next.settings || this.#isBehind !== fronts.any;
    if (this.#shapes === undefined || isOther) {
      this.#isBehind = fronts.any;
      this.#shapes = new Shapes(this.#template, next.settings, this.#machine, fronts.any);
      this.#forget(changes);
    }
    this.#addChanges(changes, next, this.#shapes);
    const records = changes.since(this.#records);
    const replaced = this.#put(records);
    try {
      const shown = hasEndpointsAsData(this.#machine) ? { ...next, streams: withoutEndpoints(next.streams) } : next;
      const text = withOwners(this.#textOf(shown, circumstances), next, this.#shapes);
      this.#last = next;
      return { text, records, opened: this.#used.opened, bugs: this.#failed.bugs };
    } catch (error) {
      // Undoes these changes, which were never published.
      this.#put(new Map([...records.keys()].map((key) => [key, { value: replaced.get(key) }])));
      throw error;
    }
  }

  /** Stores the records, and returns those that they replaced. */
  #put(records: ReadonlyMap<string, { readonly value: string | undefined }>): ReadonlyMap<string, string> {
    const replaced = new Map<string, string>();
    records.forEach(({ value }, key) => {
      const before = this.#records.get(key);
      if (before !== undefined) replaced.set(key, before);
      this.#bytes += (value?.length ?? 0) - (before?.length ?? 0);
      if (value === undefined) this.#records.delete(key);
      else this.#records.set(key, value);
    });
    return replaced;
  }

  /** All records, for an nginx that has none. */
  get records(): ReadonlyMap<string, string> {
    return this.#records;
  }

  /** The number of distinct shapes that routes name. */
  get shapeCount(): number {
    return this.#used.size;
  }

  /** Drops everything. A record that is not made again is removed. */
  #forget(changes: RecordChanges): void {
    for (const key of this.#records.keys()) changes.remove(key);
    this.#last = undefined;
    this.#text = undefined;
    this.#serverParts.clear();
    this.#textServers.clear();
    this.#textHosts = new TextHosts();
    this.#patterns.clear();
    this.#used.clear();
    this.#failed.forget();
  }

  #addChanges(changes: RecordChanges, next: Whole, shapes: Shapes): void {
    const last = this.#last;
    changes.put(pairKey(defaultPair), pairRecord(next.defaultCertificate));
    changes.putTable(pairKey, [last?.certificates, next.certificates], pairRecord);
    changes.putTable(stapleKey, [last?.staples, next.staples], (staple) => JSON.stringify(staple));
    changes.putTable(upstreamKey, [last?.upstreams, next.upstreams], upstreamRecord);
    for (const name of this.#dirtyServers(next)) {
      this.#renewServer(changes, name, next, shapes);
    }
    changes.putTable(shadowRecordKey, [last?.shadows, next.shadows], shadowRecord);
    changes.putOrRemove(patternsKey, patternsRecord([...this.#patterns.values()].flat()));
    this.#addScopes(changes, next);
    if (hasEndpointsAsData(this.#machine)) this.#addStreams(changes, next);
  }

  #addStreams(changes: RecordChanges, { streams }: Whole): void {
    const last = this.#last?.streams ?? [];
    if (last === streams) return;
    for (const key of streamRecords(last).keys()) changes.remove(key);
    for (const [key, value] of streamRecords(streams)) changes.put(key, value);
  }

  /** Adds the records of scopes, which list certificates by the types of their keys. */
  #addScopes(
    changes: RecordChanges,
    { listenerPorts, certificates, shadows, yieldingListeners: yielding, streams }: Whole,
  ): void {
    const last = this.#last;
    if (isSamePart(last, { listenerPorts, certificates, shadows, yieldingListeners: yielding, streams })) return;
    const shadowed = new Set([...shadows.values()].flatMap(({ listener }) => listener ?? []));
    const ports = [...listenerPorts.values()];
    const fronts = frontsOf(streams, ports, this.#machine);
    const records = scopeRecords(ports, certificates, { shadowed, yielding }, fronts);
    for (const key of this.#scopes.keys()) changes.remove(key);
    for (const [key, value] of records) changes.put(key, value);
    this.#scopes = records;
  }

  /** Returns changed Servers, or all if the hosts that are text have changed. */
  #dirtyServers({ servers, listenerPorts }: Whole): Iterable<string> {
    const former = this.#slots;
    if (this.#last?.listenerPorts !== listenerPorts) this.#slots = listenerSlots(listenerPorts, this.#machine);
    const now = this.#slots;
    const moved = new Set([...former.keys(), ...now.keys()].filter((id) => former.get(id) !== now.get(id)));
    const changes = servers.changesSince(this.#last?.servers ?? Table.empty());
    for (const { key, after } of changes) {
      this.#textHosts.note(key, after);
      const hasPatterns = after !== undefined && after.listener === undefined;
      const patterns = hasPatterns ? guarded(() => patternsOf(after), none) : [];
      if (patterns.length > 0) this.#patterns.set(key, patterns);
      else this.#patterns.delete(key);
    }
    const referring = changes.flatMap(({ key }) => [...this.#references.usersOf(key)]);
    const isMoved = (key: string) => moved.has(servers.get(key)?.listener ?? "");
    const changed = [
      ...new Set([
        ...changes.map(({ key }) => key),
        ...referring,
        ...(moved.size === 0 ? [] : [...servers.keys()].filter(isMoved)),
      ]),
    ];
    return this.#textHosts.settle() ? new Set([...changed, ...servers.keys()]) : changed;
  }

  #renewServer(changes: RecordChanges, name: string, next: Whole, shapes: Shapes): void {
    const server = next.servers.get(name);
    const put = (one: Server<FeatureValues> | undefined) => this.#addServerChanges(changes, name, one, next, shapes);
    if (server === undefined) {
      this.#failed.forget(name);
      put(undefined);
      return;
    }
    this.#failed.render(
      server,
      this.#template !== this.#builtIn,
      () => put(server),
      () => put(undefined),
    );
  }

  /** Returns the server that has the routes of a data host. */
  #slotOf(server: Server<FeatureValues> | undefined): Slot {
    return server?.listener === undefined ? dataSlot : (this.#slots.get(server.listener) ?? gatewaySlot);
  }

  /** Adds records of a Server. Everything that may throw is computed before anything is changed. */
  #addServerChanges(
    changes: RecordChanges,
    name: string,
    server: Server<FeatureValues> | undefined,
    { settings, servers }: Whole,
    shapes: Shapes,
  ): void {
    const before = this.#serverParts.get(name) ?? noParts;
    const find = (key: string) => {
      const other = servers.get(key);
      return other === undefined || this.#textHosts.isText(other) ? undefined : other;
    };
    const isText = server !== undefined && this.#textHosts.isText(server);
    const records = server === undefined ? [] : serverRecords(server, shapes, find, isText);
    const used = server === undefined ? [] : shapes.ofServer(server, find);
    if (isText) {
      const { root } = this.#machine.paths;
      const own = textServerOf(server, settings, root);
      const twin = twinServerOf(server);
      const routed = { ...own, locations: textLocationsOf(server, shapes), leavesRest: leavesRest(server) };
      const redirecting = twin && { ...twin, locations: [], leavesRest: true };
      this.#textServers.set(name, redirecting === undefined ? [routed] : [routed, redirecting]);
    } else this.#textServers.delete(name);
    this.#references.set(name, [...new Set(server?.routes.flatMap(({ of }) => of?.host ?? []))]);
    const slot = isText ? name : this.#slotOf(server);
    for (const shape of used) this.#used.use(slot, shape);
    for (const shape of before.shapes) this.#used.leave(before.slot, shape);
    if (server === undefined) this.#serverParts.delete(name);
    else this.#serverParts.set(name, { keys: records.map(([key]) => key), slot, shapes: used });
    for (const key of before.keys) changes.remove(key);
    const places = used.map((shape) => placeOf(slot, shape));
    for (const [key, value] of records) changes.put(key, value, places);
  }

  /** Returns the previous text if it has all needed shapes and no other part has changed. */
  #textOf(configuration: Whole, { memoryFactor, isRefused }: Circumstances): DynamicText {
    const needed = memoryFactor * memoryFor(this.#records.size, this.#bytes);
    const recordsBytes = Math.max(needed, recordsBytesOf(configuration.settings));
    const textServers = [...this.#textServers.values()].flat().sort((a, b) => (a.name < b.name ? -1 : 1));
    const parts = { configuration, textServers, shapes: this.#used, recordsBytes };
    const last = this.#text === undefined || isRefused(this.#text.generation) ? undefined : this.#text;
    const hashes = Object.entries(hashesOf(parts));
    const isSame = last !== undefined && hashes.every(([name, hash]) => last.parts[name] === hash);
    if (isSame && this.#used.areAmong(last.shapes)) return last;
    this.#text = dynamicText(parts, this.#template, this.#machine);
    return this.#text;
  }
}

function isSamePart(last: Whole | undefined, part: Partial<Whole>): boolean {
  return last !== undefined && Object.entries(part).every(([name, value]) => last[name as keyof Whole] === value);
}

function withOwners({ map, ...text }: DynamicText, whole: Whole, shapes: Shapes): RenderedText {
  const { servers, listenerPorts, streams } = whole;
  const ports = {
    get: (id: string) =>
      (isGatewaySlot(id) ? { owners: authorsOf(id, listenerPorts.values()) } : listenerPorts.get(id)) ??
      streams.filter((one) => one.kind === "gateway").find((one) => one.id === id),
  };
  const shapesOf: ShapesOf = (location, host) => shapes.namesOf(location, host);
  return { ...text, ownersAt: map.ownersAmong(servers, shapesOf, ports) };
}

const none = (): readonly HostPattern[] => [];

interface ServerParts {
  readonly keys: readonly string[];
  readonly slot: Slot;
  readonly shapes: readonly Shape[];
}

const noParts: ServerParts = { keys: [], slot: dataSlot, shapes: [] };
