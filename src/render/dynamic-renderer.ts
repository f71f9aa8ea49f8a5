/**
 * A Configuration as nginx gets it: the text of nginx.conf with its files, and the records of shared memory. The Renderer
 * remembers what it rendered per noun, and which shapes the last text has: a route whose shape is among them is data
 * only, a new shape is a reload. A shape that no route names any more stays until another reason brings a reload.
 */
import type { FeatureValues } from "../annotations/registry.ts";
import type { Configuration, Server } from "../model/configuration.ts";
import { Table } from "../model/table.ts";
import type { Settings } from "../settings/registry.ts";
import { confOf, defaultFiles, distinct, hashOf } from "./conf.ts";
import { type HostPattern, patternsOf, patternsRecord } from "./host-patterns.ts";
import type { Machine } from "./machine.ts";
import {
  defaultPair,
  pairKey,
  pairRecord,
  patternsKey,
  serverRecords,
  stapleKey,
  upstreamKey,
  upstreamRecord,
} from "./records.ts";
import type { RenderedFile } from "./rendered-files.ts";
import type { ChangedRecord, Rendered, RenderedText, Renderer } from "./rendering.ts";
import { aboutServers, dataServerView, textServerView } from "./server-views.ts";
import { recordsBytesOf } from "./settings/shared-dictionaries.ts";
import { type Shape, Shapes } from "./shape.ts";
import type { Template } from "./template.ts";
import { TextHosts } from "./text-hosts.ts";
import { dataSlot, type Slot, type TextServer, textServerOf } from "./text-servers.ts";
import { Token } from "./token.ts";
import { balancedBlock, balancedUpstream } from "./upstream-views.ts";

type Whole = Configuration<Settings, FeatureValues>;

export class DynamicRenderer implements Renderer {
  readonly #machine: Machine;
  #template: Template;
  #shapes: Shapes | undefined;
  #last: Whole | undefined;
  #text: RenderedText | undefined;
  readonly #records: Map<string, string>;
  readonly #serverParts = new Map<string, ServerParts>();
  #textHosts = new TextHosts();
  readonly #patterns = new Map<string, readonly HostPattern[]>();
  readonly #textServers = new Map<string, TextServer>();
  /** Shapes that routes name, by `slot@name`. */
  readonly #users = new Map<string, UsedShape & { servers: number }>();
  /** Files that routes name, by path: shapes of one text may have different ones. */
  readonly #opened = new Map<string, { readonly file: RenderedFile; uses: number }>();
  #bytes = 0;
  #enlarged = 1;

  /** `records` are those that shared memory may hold already, from the journal. */
  constructor(machine: Machine, template: Template, records: ReadonlyMap<string, string> = new Map()) {
    this.#machine = machine;
    this.#template = template;
    this.#records = new Map(records);
  }

  /** All text is rendered again with another template. */
  use(template: Template): void {
    this.#template = template;
    this.#shapes = undefined;
  }

  /** Throws a TemplateError where the template asks for what is not there. */
  render(next: Whole): Rendered {
    const changes = new Map<string, ChangedRecord>();
    if (this.#shapes === undefined || this.#last?.settings !== next.settings) {
      this.#shapes = new Shapes(this.#template, next.settings, this.#machine);
      this.#forget(changes);
    }
    // A name may pass from one Server to another in one turn: what comes wins over what goes.
    const made = this.#recordChanges(next, this.#shapes);
    for (const { key, value } of made) if (value === undefined) changes.set(key, { value, shapes: [] });
    for (const { key, value, shapes } of made) if (value !== undefined) changes.set(key, { value, shapes });
    const records = new Map([...changes].filter(([key, { value }]) => this.#records.get(key) !== value));
    const before = [...records.keys()].map((key) => [key, { value: this.#records.get(key) }] as const);
    this.#put(records);
    try {
      const text = this.#textOf(next);
      this.#last = next;
      return { text, records, opened: [...this.#opened.values()].map(({ file }) => file) };
    } catch (error) {
      this.#put(before); // nobody was told of them
      throw error;
    }
  }

  #put(records: Iterable<readonly [string, { readonly value: string | undefined }]>): void {
    for (const [key, { value }] of records) {
      this.#bytes += (value?.length ?? 0) - (this.#records.get(key)?.length ?? 0);
      if (value === undefined) this.#records.delete(key);
      else this.#records.set(key, value);
    }
  }

  enlarge(): void {
    this.#enlarged *= 2;
  }

  /** All records there are, for an instance that has none. */
  get records(): ReadonlyMap<string, string> {
    return this.#records;
  }

  /** How many distinct shapes the routes name. */
  get shapeCount(): number {
    return this.#users.size;
  }

  /** Everything is made again; a record that is not made again is gone. */
  #forget(changes: Map<string, ChangedRecord>): void {
    for (const key of this.#records.keys()) changes.set(key, { value: undefined, shapes: [] });
    this.#last = undefined;
    this.#text = undefined;
    this.#serverParts.clear();
    this.#textServers.clear();
    this.#textHosts = new TextHosts();
    this.#patterns.clear();
    this.#users.clear();
    this.#opened.clear();
  }

  #recordChanges(next: Whole, shapes: Shapes): KeyedRecord[] {
    const last = this.#last;
    const changes: KeyedRecord[] = [plain(pairKey(defaultPair), pairRecord(next.defaultCertificate))];
    for (const { key, after } of next.certificates.changesSince(last?.certificates ?? Table.empty())) {
      changes.push(plain(pairKey(key), after && pairRecord(after)));
    }
    for (const { key, after } of next.staples.changesSince(last?.staples ?? Table.empty())) {
      changes.push(plain(stapleKey(key), after && JSON.stringify(after)));
    }
    for (const { key, after } of next.upstreams.changesSince(last?.upstreams ?? Table.empty())) {
      changes.push(plain(upstreamKey(key), after && upstreamRecord(after)));
    }
    for (const name of this.#dirtyServers(next)) {
      changes.push(...this.#serverChanges(name, next.servers.get(name), next, shapes));
    }
    changes.push(plain(patternsKey, patternsRecord([...this.#patterns.values()].flat())));
    return changes;
  }

  /** Changed Servers; all, where other hosts than before may be drawn into text. */
  #dirtyServers({ servers }: Whole): Set<string> {
    const changes = [...servers.changesSince(this.#last?.servers ?? Table.empty())];
    for (const { key, after } of changes) {
      this.#textHosts.note(key, after);
      const patterns = after === undefined ? [] : patternsOf(after);
      if (patterns.length > 0) this.#patterns.set(key, patterns);
      else this.#patterns.delete(key);
    }
    const changed = changes.map(({ key }) => key);
    return new Set(this.#textHosts.settle() ? [...changed, ...servers.keys()] : changed);
  }

  #serverChanges(
    name: string,
    server: Server<FeatureValues> | undefined,
    { settings }: Whole,
    shapes: Shapes,
  ): KeyedRecord[] {
    const before = this.#serverParts.get(name) ?? { keys: [], slot: dataSlot, shapes: [] };
    const records = server === undefined ? [] : serverRecords(server, shapes);
    const used =
      server === undefined ? [] : [...new Set(server.locations.flatMap((location) => shapes.allOf(location)))];
    const isText = server !== undefined && this.#textHosts.isText(server);
    if (isText) this.#textServers.set(name, textServerOf(server, settings, this.#machine.paths.root));
    else this.#textServers.delete(name);
    const slot = isText ? name : dataSlot;
    for (const shape of used) this.#use(slot, shape);
    for (const shape of before.shapes) this.#leave(before.slot, shape);
    if (server === undefined) this.#serverParts.delete(name);
    else this.#serverParts.set(name, { keys: records.map(([key]) => key), slot, shapes: used });
    const names = used.map((shape) => `${slot}${shape.name}`);
    return [
      ...before.keys.map((key) => plain(key, undefined)),
      ...records.map(([key, value]) => ({ key, value, shapes: names })),
    ];
  }

  #use(slot: Slot, shape: Shape): void {
    const key = `${slot}${shape.name}`;
    const user = this.#users.get(key);
    if (user === undefined) this.#users.set(key, { slot, shape, servers: 1 });
    else user.servers++;
    for (const file of openedBy(shape)) {
      const opened = this.#opened.get(file.path);
      if (opened === undefined) this.#opened.set(file.path, { file, uses: 1 });
      else opened.uses++;
    }
  }

  #leave(slot: Slot, shape: Shape): void {
    const key = `${slot}${shape.name}`;
    const user = this.#users.get(key);
    if (user !== undefined && --user.servers === 0) this.#users.delete(key);
    for (const { path } of openedBy(shape)) {
      const opened = this.#opened.get(path);
      if (opened !== undefined && --opened.uses === 0) this.#opened.delete(path);
    }
  }

  /** The text of before, while it has all shapes that are needed and nothing else in it changed. */
  #textOf({ settings, defaultCertificate, streams, streamSnippets }: Whole): RenderedText {
    const needed = this.#enlarged * memoryFor(this.#records.size, this.#bytes);
    const recordsBytes = Math.max(needed, recordsBytesOf(settings));
    const textServers = [...this.#textServers.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const parts = {
      settings: hashOf(JSON.stringify(settings)),
      "default certificate": defaultCertificate.fingerprint,
      "shared memory size": String(recordsBytes),
      "TCP, UDP and passthrough": hashOf(JSON.stringify([streams, streamSnippets])),
      "text servers": hashOf(JSON.stringify(textServers, printed)),
    };
    const same =
      this.#text !== undefined && Object.entries(parts).every(([name, hash]) => this.#text?.parts[name] === hash);
    const has = [...this.#users.keys()].every((key) => this.#text?.shapes.has(key));
    if (this.#text !== undefined && same && has) return this.#text;

    const used = this.#users;
    const keys = [...used.keys()].sort();
    const shapesOf = (slot: Slot) =>
      keys
        .map((key) => used.get(key)!)
        .filter((one) => one.slot === slot)
        .map((one) => one.shape);
    const about = aboutServers(settings, this.#machine);
    const verifies = textServers.some((server) => server.verifies);
    const servers = [
      ...textServers.map((server) => textServerView(about, server, shapesOf(server.name))),
      dataServerView(about, shapesOf(dataSlot), verifies),
    ].map((view) => this.#template.render("server", view));
    const slots = [dataSlot, ...textServers.map(({ name }) => name)].map((name) => ({ name, shapes: shapesOf(name) }));
    const files = distinct([
      ...defaultFiles(defaultCertificate),
      ...about.files,
      ...textServers.flatMap((server) => server.files),
      ...[...used.values()].flatMap(({ shape }) => shape.files),
    ]);
    const shapes = [...used.values()].map(({ shape }) => shape);
    const pools = new Set([balancedBlock, ...shapes.flatMap((shape) => shape.pools).sort()]);
    const names = textServers.map(({ name }) => name);
    const upstreams = [...pools].map((name) => balancedUpstream(name, settings));
    const needs = new Set(shapes.flatMap((shape) => [...shape.needs]));
    const http = shapes.flatMap((shape) => shape.http);
    const conf = confOf(
      this.#template,
      {
        ...about,
        servers,
        upstreams,
        needs,
        http,
        names,
        verifies,
        streams,
        streamSnippets,
        lua: { recordsBytes, slots },
      },
      files,
    );
    this.#text = { ...conf, files, shapes: new Set(keys), parts: { ...parts, shapes: hashOf(keys.join()) } };
    return this.#text;
  }
}

function openedBy({ files }: Shape): readonly RenderedFile[] {
  return files.filter((file) => file.opened);
}

interface ServerParts {
  readonly keys: readonly string[];
  readonly slot: Slot;
  readonly shapes: readonly Shape[];
}

interface UsedShape {
  readonly slot: Slot;
  readonly shape: Shape;
}

interface KeyedRecord extends ChangedRecord {
  readonly key: string;
}

function plain(key: string, value: string | undefined): KeyedRecord {
  return { key, value, shapes: [] };
}

/** Tokens keep their text from JSON. */
function printed(_key: string, value: unknown): unknown {
  return value instanceof Token ? String(value) : value;
}

/**
 * Bytes of shared memory for so many records. nginx's slabs round a record up to a power of two and pages are not shared
 * between sizes; doubled again, and grown in powers of two, since another size is a reload.
 */
export function memoryFor(records: number, bytes: number): number {
  const needed = 4 * bytes + 1024 * records;
  return 2 ** Math.ceil(Math.log2(Math.max(16 * 1024 * 1024, needed)));
}
